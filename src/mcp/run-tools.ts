import type { JsonObject, JsonValue } from '../model/json.ts';
import { ok } from '../model/result.ts';
import { problemData } from '../operations/problem-data.ts';
import { answerQuestion } from '../operations/runs/answer-question.ts';
import { LISTED_STATUSES } from '../operations/runs/list-runs.ts';
import { type ReadRun, readRun } from '../operations/runs/read-run.ts';
import { selectRuns, summaryOf } from '../operations/runs/select-runs.ts';
import { howToCall } from './how-to-call.ts';
import { objectOf, type Tool, text, textIn } from './tool.ts';

const run = text('its id, the beginning of it, or `last`');
const USUAL_LIMIT = 50;

export const RUN_TOOLS: readonly Tool[] = [
  {
    name: 'runs_list',
    description: 'The runs of this workspace, the newest first, with status and cost.',
    input: objectOf({
      kind: text('only of this kind: workflow, iterate, session, converse, phases'),
      status: { type: 'string', enum: LISTED_STATUSES } satisfies JsonObject,
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: '50 where absent' },
    }),
    readOnly: true,
    run(site, given) {
      const { limit } = given;
      const selected = selectRuns(site, {
        kind: textIn(given, 'kind'),
        status: textIn(given, 'status'),
        limit: typeof limit === 'number' ? limit : USUAL_LIMIT,
      });
      if (selected.type === 'error') return selected;
      const { found, hasMore } = selected.value;
      return ok({ runs: found.map((each) => asJson(summaryOf(each))), has_more: hasMore });
    },
  },
  {
    name: 'run_get',
    description:
      'What a run did and where it stands: its steps, its cost, what it waits for. Of a damaged one, what can still be read, and `damage`.',
    input: objectOf({ run }, ['run']),
    readOnly: true,
    run(site, given) {
      const read = readRun(site, textIn(given, 'run') ?? '');
      return read.type === 'ok' ? ok(runData(read.value)) : read;
    },
  },
  {
    name: 'run_approve',
    description: 'Answer a question that a run waits for.',
    input: objectOf(
      {
        run,
        step: text('the step that asks'),
        choice: text('one of the choices it gives'),
        comment: text('kept with the answer'),
        by: text('who answers'),
      },
      ['run', 'step', 'choice'],
    ),
    run(site, given) {
      const answered = answerQuestion(site, {
        run: textIn(given, 'run') ?? '',
        question: textIn(given, 'step') ?? '',
        choice: textIn(given, 'choice') ?? '',
        comment: textIn(given, 'comment'),
        by: textIn(given, 'by'),
      });
      if (answered.type === 'error') return answered;
      const { runId, key, choice, isTakenUp, keptAs } = answered.value;
      return ok({
        run_id: runId,
        step: key,
        choice,
        taken_up: isTakenUp,
        ...(keptAs === undefined ? {} : { kept_as: keptAs }),
      });
    },
  },
];

export function runData({ runId, state, isAlive, damage }: ReadRun): JsonObject {
  return asJson({
    ...state,
    process_alive: isAlive,
    ...(damage === undefined
      ? {}
      : { damage: problemData({ type: 'damaged-run', runId, damage }, howToCall) }),
  }) as JsonObject;
}

/** Without what is undefined. */
function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
