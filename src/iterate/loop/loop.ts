/**
 * The loop: iterations until the task is complete, stagnates, fails or reaches a limit.
 *
 * I1 One iteration is one agent step, `iteration/<n>`. Counters are computed from the journal and set, never added to
 *    the value in the file, so a kill anywhere leaves them correct.
 * I2 A task is complete when its status says so, every check succeeds and, if enabled, a verification confirms it.
 * I3 A rejected claim is removed from the status file, so the agent must make it again.
 * I4 An iteration did work if it says so or if files outside the workspaces changed while no other loop was at work there.
 * I5 A denied tool is a warning if the iteration made progress; two in a row without progress end the loop.
 * I6 An iteration stopped by its time limit is counted and judged like any other; `retry.maxAttempts` in a row without
 *    progress end the loop.
 * I7 What an earlier run left in the status file, a claim or an abort, is not mistaken for this run's.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { openLedger } from '../../engine/ledger.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { PAUSE, pauseKey } from '../events/pause.ts';
import type { CountedBefore, IterateInput, IterateOutput, StopReason } from '../input.ts';
import { FILES, pathsIn } from '../workspace/layout.ts';
import { countedBefore, statusAfter } from '../workspace/metadata.ts';
import { parseStatus } from '../workspace/status.ts';
import { runIteration } from './iteration.ts';
import { allowanceFor, limitsIn, takeChanges, withinTime } from './limits.ts';
import {
  changeMetadata,
  dropClaim,
  type LoopEnd,
  type LoopState,
  runField,
  set,
  updateMetadata,
} from './loop-state.ts';
import { enterTree, leaveTree } from './own-tree.ts';
import { progressOf } from './progress.ts';

const BEGIN_KEY = stepKey('run@began');
const END_KEY = stepKey('end');

export async function runLoop(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as IterateInput;
  const begun = await begin(durable, input);
  if ('failure' in begun) return { ...begun, iterations: 0, retryKeys: [BEGIN_KEY] } as unknown as JsonValue;
  const entered = await enterTree(durable, input);
  const state: LoopState = {
    durable,
    input,
    before: input.countedBefore ?? begun.before,
    ledger: openLedger(),
    resting: new Map(),
    limits: limitsIn(input),
    iteration: 0,
    noWork: 0,
    deniedInVain: 0,
    timedOut: 0,
    answers: new Map(),
    instructions: input.instructions,
    mark: begun.mark,
    keepsStatus: begun.keepsStatus,
    verifications: 0,
    resumeCycles: 0,
    ...('failure' in entered ? {} : entered),
  };
  const end: LoopEnd =
    'failure' in entered
      ? { stopReason: 'failed', ...entered, failedStep: entered.retryKeys[0] ?? BEGIN_KEY }
      : await leaveTree(state, await iterate(state));
  const unkept = await updateMetadata(state, END_KEY, [
    set(['status'], statusAfter(end.stopReason)),
    set(['stopReason'], end.stopReason),
  ]);
  const output: IterateOutput = {
    ...end,
    // The loop has not ended until its document says so.
    ...(unkept === undefined || end.failure !== undefined
      ? {}
      : { stopReason: 'failed', failure: unkept, failedStep: END_KEY }),
    iterations: state.iteration,
    retryKeys: end.retryKeys === undefined && unkept === undefined ? [] : [...(end.retryKeys ?? []), END_KEY],
  };
  return output as unknown as JsonValue;
}

/** Starts counting here; clears the completion claimed in an earlier run. */
async function begin(
  durable: OrchestrateDurable,
  input: IterateInput,
): Promise<
  | { readonly before: CountedBefore; readonly mark: string; readonly keepsStatus: boolean }
  | { readonly stopReason: StopReason; readonly failure: Failure }
> {
  const root = input.workspacePath;
  const startedAt = await durable.now(stepKey('run@started'));
  const { document, failure } = await changeMetadata(durable, input, {
    key: BEGIN_KEY,
    changes: [
      set(['status'], 'in_progress'),
      set(['lastRun'], startedAt),
      set(['run'], runField(input, { iteration: 0, noWork: 0, limits: input })),
      { type: 'remove', at: ['stopReason'] },
    ],
  });
  if (document === undefined) {
    return { stopReason: 'failed', failure: failure ?? { type: 'internal-error', message: 'no metadata' } };
  }
  // For a rollback to before the first iteration.
  const list = { root, path: FILES.todo };
  if (input.dryRun !== true)
    await durable.step(stepKey('run@list'), 'read-file', list, { syncWithNext: true });
  const status = await durable.step(stepKey('run@claim'), 'read-file', { root, path: FILES.status });
  // I7
  const stale = parseStatus(status.output.text ?? '');
  const { complete = false, abort } = stale.type === 'ok' ? stale.value : {};
  const dropsAbort = abort !== undefined;
  const keepsStatus = input.dryRun === true && status.output.text !== undefined;
  if (!keepsStatus && (complete || dropsAbort))
    await dropClaim(durable, stepKey('run@set-aside'), { root, dropsAbort });
  const { mark } = await progressOf(durable, stepKey('run'), { root, text: status.output.text });
  return { before: countedBefore(document), mark, keepsStatus };
}

async function iterate(state: LoopState): Promise<LoopEnd> {
  for (;;) {
    const key = stepKey('iteration', state.iteration + 1);
    await takeChanges(state, key);
    if (state.iteration >= state.limits.maxIterations) return { stopReason: 'max-iterations' };
    const allowed = await allowanceFor(state, key);
    if (allowed.type === 'error') return { stopReason: 'budget', failure: allowed.error };
    if (await stopIsAsked(state, sideKey(key, 'stop'))) return { stopReason: 'stopped' };
    const unkept = await pauseIfAsked(state, key);
    if (unkept !== undefined) return { stopReason: 'failed', failure: unkept };
    const end = await runIteration(state, key, allowed.value);
    if (end !== undefined) return end;
    if (state.iteration < state.limits.maxIterations) await pause(state, key);
  }
}

/** Waits, in no process, until the loop is run again. */
async function pauseIfAsked(state: LoopState, key: StepKey): Promise<Failure | undefined> {
  const { durable, input } = state;
  const file = { root: input.workspacePath, path: FILES.pause };
  const { output } = await durable.step(sideKey(key, 'pause-asked'), 'read-file', file, {
    syncWithNext: true,
  });
  if (output.text === undefined) return undefined;
  const paused = [set(['stopReason'], 'paused')];
  const unkept = await updateMetadata(state, sideKey(key, 'pausing'), paused);
  if (unkept !== undefined) return unkept;
  await durable.answer(pauseKey(key), PAUSE);
  return updateMetadata(state, sideKey(key, 'unpaused'), [{ type: 'remove', at: ['stopReason'] }]);
}

async function stopIsAsked({ durable, input }: LoopState, key: StepKey): Promise<boolean> {
  const { output } = await durable.step(key, 'read-file', { root: input.workspacePath, path: FILES.stop });
  return output.text !== undefined;
}

async function pause(state: LoopState, key: StepKey): Promise<void> {
  const { durable, input, limits } = state;
  if (limits.delayMs === 0) return;
  const from = Date.parse(await durable.now(sideKey(key, 'ended')));
  const { stop: stopFile } = pathsIn(input.workspacePath);
  const until = new Date(from + limits.delayMs).toISOString();
  await durable.sleepUntil(sideKey(key, 'pause'), until, { stopFile, ...withinTime(state) });
}
