/**
 * Runs a workflow over the journal of a run, without a world, and tells the first call in which they differ.
 *
 * Y1 Nothing is started and nothing is written: recorded calls are answered, the first other one in every scope ends the check there.
 * Y2 In every scope the calls come in the order of the journal, none is left out, and each asks for the same.
 */
import type { EffectMap } from '../../effects/contracts.ts';
import { replayOver } from '../../engine/replay.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { CodeInput } from '../input.ts';
import type { CodeHost, Execution } from '../run/execution.ts';
import { placeIn } from '../run/place.ts';
import { executeCode } from '../run/program.ts';
import type { Workflow } from '../written/workflow.ts';
import { differenceBetween, recordedInput } from './compare-inputs.ts';
import { type RecordedCalls, recordedCalls } from './recorded-calls.ts';

export interface ReplayDivergence {
  readonly type: 'other-effect' | 'other-input' | 'other-order' | 'not-asked' | 'threw';
  readonly key: string;
  /** What is different, in words and lines. */
  readonly details: readonly string[];
  /** `review.workflow.ts:13:32`. */
  readonly at?: string;
}

export interface ReplayToCheck {
  readonly workflow: Workflow;
  readonly input: CodeInput;
  readonly events: readonly JournalEvent[];
  /** Absolute: the run's folder. */
  readonly directory: string;
  readonly host: Omit<CodeHost, 'functions'>;
  redact(data: JsonValue): JsonValue;
}

/** How long a program may wait for something of its own. */
const PATIENCE_MS = 10_000;

export async function checkReplay(check: ReplayToCheck): Promise<ReplayDivergence | undefined> {
  const { workflow, input, directory, redact } = check;
  // What a resume forgets is not asked for.
  const events: readonly JournalEvent[] = [
    ...check.events,
    { type: 'run-resumed', at: new Date(0).toISOString() },
  ];
  const { runId, workspace } = input;
  const durable = replayOver<EffectMap>(events, { site: { runId, directory, workspace }, redact });
  let begun: Execution | undefined;
  const executed = executeCode(
    {
      ...{ workflow, input, durable },
      signal: new AbortController().signal,
      host: { ...check.host, functions: new Map() },
    },
    (execution) => {
      begun = execution;
    },
  ).then(({ output }) => output.failure);
  if (begun === undefined) throw new Error('the replay did not begin');
  const execution = begun;
  const ended = await Promise.race([executed.then((failure) => ({ failure })), quiet(execution)]);
  const diverged = execution.divergence;
  if (diverged !== undefined) {
    const { type, key } = diverged;
    const recorded = recordedInput(check.events, key);
    const details =
      type === 'other-effect'
        ? [`- ${diverged.recorded}`, `+ ${diverged.effect}`]
        : differenceBetween(recorded, redact(diverged.input));
    return { type, key, details, ...placeOf(execution, key) };
  }
  return differenceOfCalls(execution, recordedCalls(events), ended?.failure);
}

/** Resolves when every scope waits for a call that is not answered. */
async function quiet(execution: Execution): Promise<undefined> {
  const until = Date.now() + PATIENCE_MS;
  for (let turns = 0; turns < 2; ) {
    await new Promise((resolve) => setTimeout(resolve, turns === 0 ? 1 : 0));
    await new Promise((resolve) => setImmediate(resolve));
    const isQuiet = execution.hasStopped && execution.scopes.every(({ isBusy }) => !isBusy);
    turns = isQuiet ? turns + 1 : 0;
    if (Date.now() > until) break;
  }
  return undefined;
}

function placeOf({ input, stacks }: Execution, key: string): Pick<ReplayDivergence, 'at'> {
  const { workspace, sources } = input;
  const stack = stacks.get(key.replace(/@.*$/, '') as StepKey) ?? '';
  return defined({ at: placeIn(stack, { workspace, files: sources.map(({ file }) => file) }) });
}

/** Y2 */
function differenceOfCalls(
  execution: Execution,
  recorded: RecordedCalls,
  failure: Failure | undefined,
): ReplayDivergence | undefined {
  for (const [scope, calls] of recorded) {
    if (isForeign(execution, scope)) continue;
    const asked = execution.asked.get(scope);
    // A branch that was not started yet: others hold the slots.
    if (asked === undefined && !hasReturned(execution, scope)) continue;
    const at = calls.findIndex((key, index) => asked?.[index] !== key);
    const key = calls[at];
    if (key === undefined) continue;
    const instead = asked?.[at];
    if (instead === undefined) {
      const message = failure?.type === 'program-error' ? failure.message : undefined;
      if (message !== undefined) return { type: 'threw', key, details: [message], ...whereOf(failure) };
      return { type: 'not-asked', key, details: [] };
    }
    const isLater = asked?.includes(key) === true && calls.includes(instead);
    return {
      type: isLater ? 'other-order' : 'not-asked',
      key,
      details: [`the program asks for \`${instead}\` first`],
      ...placeOf(execution, instead),
    };
  }
  return undefined;
}

function whereOf(failure: Failure | undefined): Pick<ReplayDivergence, 'at'> {
  return failure?.type === 'program-error' ? defined({ at: failure.at }) : {};
}

/** The `each`, `all` or `call` around the scope. */
function hasReturned({ answered }: Execution, scope: string): boolean {
  const around = scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
  return answered.has(scope as StepKey) || answered.has(around as StepKey);
}

function isForeign({ foreign }: Execution, scope: string): boolean {
  return [...foreign].some((key) => scope === key || scope.startsWith(`${key}/`));
}
