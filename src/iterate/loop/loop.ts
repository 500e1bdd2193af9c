/**
 * The loop: iterations until the task is complete, stagnates, fails or reaches a limit.
 *
 * I1 One iteration is one agent step, `iteration/<n>`. Counters are computed from the journal and set, never added to
 *    the value in the file, so a kill anywhere leaves them correct.
 * I2 A task is complete when its status says so, every check succeeds and, if enabled, a verification confirms it.
 * I3 A rejected claim is removed from the status file, so the agent must make it again.
 * I4 An iteration did work if it says so or if files outside the workspace changed.
 * I5 A denied tool is a warning if the iteration made progress; two in a row without progress end the loop.
 */
import type { DocumentChange, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../model/json.ts';
import type { IterateInput, IterateOutput, StopReason } from '../input.ts';
import { FILES, pathsIn } from '../workspace/layout.ts';
import { type CountedBefore, countedBefore } from '../workspace/metadata.ts';
import { runIteration } from './iteration.ts';
import { dropClaim, type LoopEnd, type LoopState, runField, set, updateMetadata } from './loop-state.ts';
import { progressOf } from './progress.ts';

const BEGIN_KEY = stepKey('run@began');
const END_KEY = stepKey('end');

export async function runLoop(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as IterateInput;
  const begun = await begin(durable, input);
  if ('failure' in begun) return { ...begun, iterations: 0, retryKeys: [BEGIN_KEY] } as unknown as JsonValue;
  const state: LoopState = {
    durable,
    input,
    before: begun.before,
    spent: [],
    iteration: 0,
    noWork: 0,
    deniedInVain: 0,
    mark: begun.mark,
    verifications: 0,
    resumeCycles: 0,
  };
  const end = await iterate(state);
  const unkept = await updateMetadata(state, END_KEY, endChanges(end.stopReason));
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
  | { readonly before: CountedBefore; readonly mark: string }
  | { readonly stopReason: StopReason; readonly failure: Failure }
> {
  const root = input.workspacePath;
  const startedAt = await durable.now(stepKey('run@started'));
  const { output } = await durable.step(BEGIN_KEY, 'update-document', {
    root,
    path: FILES.metadata,
    changes: [
      set(['status'], 'in_progress'),
      set(['lastRun'], startedAt),
      set(['run'], runField(input, { iteration: 0, noWork: 0 })),
      { type: 'remove', at: ['stopReason'] },
    ],
  });
  const { document, failure } = output;
  if (document === undefined) {
    return { stopReason: 'failed', failure: failure ?? { type: 'internal-error', message: 'no metadata' } };
  }
  const status = await durable.step(stepKey('run@claim'), 'read-file', { root, path: FILES.status });
  if (claimsComplete(status.output.text)) await dropClaim(durable, stepKey('run@set-aside'), root);
  const { mark } = await progressOf(durable, stepKey('run'), { root, text: status.output.text });
  return { before: countedBefore(document), mark };
}

async function iterate(state: LoopState): Promise<LoopEnd> {
  const { input } = state;
  for (;;) {
    if (state.iteration >= input.maxIterations) return { stopReason: 'max-iterations' };
    const overBudget = budgetUsedUp(state);
    if (overBudget !== undefined) return { stopReason: 'budget', failure: overBudget };
    const key = stepKey('iteration', state.iteration + 1);
    if (await stopIsAsked(state, sideKey(key, 'stop'))) return { stopReason: 'stopped' };
    const end = await runIteration(state, key);
    if (end !== undefined) return end;
    if (state.iteration < input.maxIterations) await pause(state, key);
  }
}

function budgetUsedUp({ input, spent }: LoopState): Failure | undefined {
  if (input.budgetUsd === undefined) return undefined;
  const usd = spent.reduce((sum, each) => sum + (each.costUsd ?? 0), 0);
  if (usd < input.budgetUsd) return undefined;
  return { type: 'over-budget', limit: `$${input.budgetUsd}`, spent: `$${usd.toFixed(4)}` };
}

async function stopIsAsked({ durable, input }: LoopState, key: StepKey): Promise<boolean> {
  const { output } = await durable.step(key, 'read-file', { root: input.workspacePath, path: FILES.stop });
  return output.text !== undefined;
}

async function pause({ durable, input }: LoopState, key: StepKey): Promise<void> {
  if (input.delayMs === 0) return;
  const from = Date.parse(await durable.now(sideKey(key, 'ended')));
  const { stop: stopFile } = pathsIn(input.workspacePath);
  const until = new Date(from + input.delayMs).toISOString();
  await durable.sleepUntil(sideKey(key, 'pause'), until, { stopFile });
}

/** Stagnation is recorded as completed; `stopReason` distinguishes the two. */
function endChanges(reason: StopReason): readonly DocumentChange[] {
  const status =
    reason === 'complete' || reason === 'stagnation'
      ? 'completed'
      : reason === 'failed' || reason === 'abort'
        ? 'error'
        : 'in_progress';
  return [set(['status'], status), set(['stopReason'], reason)];
}

function claimsComplete(text: string | undefined): boolean {
  try {
    const value: unknown = parseJson(text ?? '');
    return isJsonObject(value) && value['complete'] === true;
  } catch {
    return false;
  }
}
