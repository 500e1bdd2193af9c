/** Tools that read runs. */
import type { JournalEvent } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { problemData } from '../../operations/problem-data.ts';
import { followRun } from '../../operations/runs/follow-run.ts';
import { LISTED_STATUSES } from '../../operations/runs/list-runs.ts';
import { COSTS_BY, type CostsBy, readCosts } from '../../operations/runs/read-costs.ts';
import { type ReadRun, readRun } from '../../operations/runs/read-run.ts';
import { selectRuns, summaryOf } from '../../operations/runs/select-runs.ts';
import { tailLogs } from '../../operations/runs/tail-logs.ts';
import { howToCall } from './how-to-call.ts';
import { asJson, count, countIn, objectOf, type Tool, text, textIn } from './tool.ts';

export const run = text('run id, unique prefix of one, or `last`');
const USUAL_LIMIT = 50;
const USUAL_BYTES = 16 * 1024;
const MOST_BYTES = 256 * 1024;
const MOST_LOGS = 20;
const USUAL_WAIT_SECONDS = 20;
const LONGEST_WAIT_SECONDS = 300;
const STREAMS = ['stdout', 'stderr', 'prompt', 'response'] as const;

export const RUN_TOOLS: readonly Tool[] = [
  {
    name: 'runs_list',
    description: 'List the runs of this workspace, newest first, with status and cost.',
    input: objectOf({
      kind: text('only runs of this kind: workflow, iterate, session, converse, phases'),
      status: { type: 'string', enum: LISTED_STATUSES } satisfies JsonObject,
      workflow: text('only runs of this workflow: its name or file'),
      since: text('only runs started at or after this time (ISO 8601)'),
      limit: count('maximum number of runs: 1 to 1000 (default: 50)', { from: 1, to: 1000 }),
    }),
    readOnly: true,
    run(site, given) {
      const since = timeIn(given, 'since');
      if (since.type === 'error') return since;
      const selected = selectRuns(site, {
        kind: textIn(given, 'kind'),
        status: textIn(given, 'status'),
        workflow: textIn(given, 'workflow'),
        since: since.value,
        limit: countIn(given, 'limit') ?? USUAL_LIMIT,
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
    name: 'run_follow',
    description:
      'Wait until something happens in a run, and get the events since the last call. Call it again with `after` set to the returned `seen`, until `process_alive` is false.',
    input: objectOf(
      {
        run,
        after: count('`seen` of the last call (default: 0)', { from: 0, to: Number.MAX_SAFE_INTEGER }),
        until_end: {
          type: 'boolean',
          description: 'wait until the run ends or waits for a person, instead of for any event',
        },
        wait_seconds: count('how long to wait: 0 to 300 (default: 20)', {
          from: 0,
          to: LONGEST_WAIT_SECONDS,
        }),
      },
      ['run'],
    ),
    readOnly: true,
    async run(site, given) {
      const followed = await followRun(site, {
        run: textIn(given, 'run') ?? '',
        after: countIn(given, 'after') ?? 0,
        forMs: 1000 * (countIn(given, 'wait_seconds') ?? USUAL_WAIT_SECONDS),
        untilEnd: given['until_end'] === true,
        signal: site.signal,
      });
      if (followed.type === 'error') return followed;
      const { run: read, events, seen } = followed.value;
      const { status, waiting_for } = read.state;
      return ok(
        asJson({
          ...{ run_id: read.runId, status, process_alive: read.isAlive, waiting_for },
          events: events.map(eventData),
          seen,
        }),
      );
    },
  },
  {
    name: 'run_log',
    description: 'Read the end of what the steps of a run wrote, or the prompts and responses of its agents.',
    input: objectOf(
      {
        run,
        step: text('step key or name; a loop or an item means all steps inside (default: all steps)'),
        stream: {
          type: 'string',
          enum: [...STREAMS],
          description: 'stdout (default), stderr, prompt or response',
        },
        attempt: count('only this attempt of the step', { from: 1, to: 1_000_000 }),
        bytes: count('bytes from the end of each log: 1 to 262144 (default: 16384)', {
          from: 1,
          to: MOST_BYTES,
        }),
      },
      ['run'],
    ),
    readOnly: true,
    run(site, given) {
      const tails = tailLogs(site, {
        run: textIn(given, 'run') ?? '',
        step: textIn(given, 'step'),
        kind: (textIn(given, 'stream') ?? 'stdout') as (typeof STREAMS)[number],
        attempt: countIn(given, 'attempt'),
        mostBytes: countIn(given, 'bytes') ?? USUAL_BYTES,
        mostLogs: MOST_LOGS,
      });
      if (tails.type === 'error') return tails;
      const { runId, logs, left } = tails.value;
      return ok(asJson({ run_id: runId, logs, earlier_logs: left }));
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

/** Without inputs and outputs, which may be large: `run_get` and `run_log` have them. */
function eventData(event: JournalEvent): JsonValue {
  const { at, type } = event;
  const key = 'key' in event ? { step: event.key } : {};
  switch (event.type) {
    case 'attempt-ended':
      return asJson({
        at,
        type,
        ...key,
        attempt: event.attempt,
        failure: event.failure,
        next_at: event.nextAt,
      });
    case 'step-started':
      return { at, type, ...key, attempt: event.attempt };
    case 'step-ended':
      return { at, type, ...key, attempts: event.attempts, duration_ms: event.durationMs };
    case 'sleep-started':
      return { at, type, ...key, until: event.until };
    case 'question-asked':
      return asJson({ at, type, ...key, question: event.question });
    case 'question-answered':
      return asJson({ at, type, ...key, answer: event.answer });
    case 'run-ended':
      return asJson({ at, type, status: event.status, failure: event.failure });
    default:
      // Partial: the others have nothing more that an agent needs.
      return { at, type, ...key };
  }
}

function timeIn(given: JsonObject, name: string): Result<Date | undefined, Problem> {
  const said = textIn(given, name);
  const at = said === undefined ? undefined : new Date(said);
  return at !== undefined && Number.isNaN(at.getTime())
    ? error({ type: 'not-a-time', name, given: said ?? '' })
    : ok(at);
}
