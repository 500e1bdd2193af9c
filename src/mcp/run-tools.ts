import { defined } from '../model/defined.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { type Refused, refused } from '../operations/problem.ts';
import { problemData } from '../operations/problem-data.ts';
import { answerQuestion } from '../operations/runs/answer-question.ts';
import { LISTED_STATUSES } from '../operations/runs/list-runs.ts';
import { COSTS_BY, type CostsBy, readCosts } from '../operations/runs/read-costs.ts';
import { type ReadRun, readRun } from '../operations/runs/read-run.ts';
import { selectRuns, summaryOf } from '../operations/runs/select-runs.ts';
import { howToCall } from './how-to-call.ts';
import { objectOf, type Tool, text, textIn } from './tool.ts';

const run = text('run id, unique prefix of one, or `last`');
const USUAL_LIMIT = 50;

export const RUN_TOOLS: readonly Tool[] = [
  {
    name: 'runs_list',
    description: 'List the runs of this workspace, newest first, with status and cost.',
    input: objectOf({
      kind: text('only runs of this kind: workflow, iterate, session, converse, phases'),
      status: { type: 'string', enum: LISTED_STATUSES } satisfies JsonObject,
      workflow: text('only runs of this workflow: its name or file'),
      since: text('only runs started at or after this time (ISO 8601)'),
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'maximum number of runs (default: 50)',
      },
    }),
    readOnly: true,
    run(site, given) {
      const { limit } = given;
      const since = timeIn(given, 'since');
      if (since.type === 'error') return since;
      const selected = selectRuns(site, {
        kind: textIn(given, 'kind'),
        status: textIn(given, 'status'),
        workflow: textIn(given, 'workflow'),
        since: since.value,
        limit: typeof limit === 'number' ? limit : USUAL_LIMIT,
      });
      if (selected.type === 'error') return selected;
      const { found, hasMore } = selected.value;
      return ok({ runs: found.map((each) => asJson(summaryOf(each))), has_more: hasMore });
    },
  },
  {
    name: 'costs_get',
    description: 'Add up what agents cost, over all runs of this workspace. Unknown costs are counted.',
    input: objectOf({
      by: { type: 'string', enum: [...COSTS_BY] } satisfies JsonObject,
      since: text('only runs started at or after this time (ISO 8601)'),
    }),
    readOnly: true,
    run(site, given) {
      const since = timeIn(given, 'since');
      if (since.type === 'error') return since;
      const by = (textIn(given, 'by') ?? 'day') as CostsBy;
      const costs = readCosts(site, { by, since: since.value });
      return costs.type === 'ok' ? ok(asJson(costs.value)) : costs;
    },
  },
  {
    name: 'run_get',
    description:
      'Get the state of a run: its steps, cost, and what it is waiting for. For a damaged run: what can still be read, and `damage`.',
    input: objectOf({ run }, ['run']),
    readOnly: true,
    run(site, given) {
      const read = readRun(site, textIn(given, 'run') ?? '');
      return read.type === 'ok' ? ok(runData(read.value)) : read;
    },
  },
  {
    name: 'run_approve',
    description: 'Answer a question that a run is waiting on.',
    input: objectOf(
      {
        run,
        step: text('step that asks the question'),
        choice: text('one of the choices it offers'),
        comment: text('comment recorded with the answer'),
        by: text('name of the person or program that answers'),
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
        ...defined({ choice }),
        taken_up: isTakenUp,
        ...defined({ kept_as: keptAs }),
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

function timeIn(given: JsonObject, name: string): Result<Date | undefined, Refused> {
  const text = textIn(given, name);
  const at = text === undefined ? undefined : new Date(text);
  return at !== undefined && Number.isNaN(at.getTime())
    ? error(refused('invalid', `\`${name}\` is not a time: \`${text}\``))
    : ok(at);
}

/** Drops undefined fields. */
function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
