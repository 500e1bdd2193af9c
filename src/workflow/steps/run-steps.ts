/**
 * Runs a list of steps and decides which step is next.
 *
 * F1 After a step, `on.success` or `on.failure` applies, depending on how it ended; `on.always` overrides both.
 * F2 If neither applies, a failure stops the list. With `strict_flow: false` the list continues, and still counts as failed when it
 *    ends.
 * F3 A skipped step takes no goto.
 * F4 With `allow_failure`, a failed step counts as one that succeeded. The limits of the run — its budget, `max_visits` — still hold.
 * F5 A step that failed because a budget of the run is reached ends every list around it: nothing new starts, and no handler applies.
 * F6 After a `break` or `end`, here or in a list inside, nothing more of the list runs. A failure before it stays a failure.
 */

import { isStop } from '../../engine/run-stop.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { isOverBudget } from '../../steps/budget.ts';
import { failedAtOnce, note, skipped } from '../../steps/notes.ts';
import { type Block, type BlockEnd, keyIn, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { judge } from '../condition.ts';
import { type Condition, END_TARGET, type Step } from '../definition.ts';
import { runByKind } from './by-kind.ts';
import { runIsolatedStep } from './isolated.ts';

export async function runSteps(
  block: Block,
  steps: readonly Step[],
  onVisit: (key: StepKey) => void = () => {},
): Promise<BlockEnd> {
  const visits = new Map<string, number>();
  const unhandled: Failed[] = [];
  let last: StepRecord | undefined;
  let at = 0;
  for (let step = steps[at]; step !== undefined; step = steps[at]) {
    const visit = (visits.get(step.name) ?? 0) + 1;
    visits.set(step.name, visit);
    const call: StepCall = { block, step, key: keyIn(block, step.name, visit) };
    onVisit(call.key);
    const ended: StepEnd =
      visit > step.maxVisits
        ? await failedAtOnce(call, { type: 'too-many-visits', step: step.name, limit: step.maxVisits })
        : await runStep(call);
    const end: StepEnd = visit <= step.maxVisits && isAllowed(step, ended) ? await allow(call, ended) : ended;
    keep(block, step, end);
    if (end.record.status !== 'skipped' && step.type !== 'break' && step.type !== 'end') last = end.record;
    // F5
    if (isOverBudget(end.record)) return failedBlock([{ call, end }, ...unhandled]);
    if (visit > step.maxVisits) return failedBlock([...unhandled, { call, end }]);
    // F6
    if (end.leaving !== undefined) {
      if (hasFailed(end)) unhandled.push({ call, end });
      return { ...failedBlock(unhandled), ...defined({ last }), leaving: end.leaving };
    }
    const target = gotoOf(step, end);
    if (target !== undefined) {
      await note(block, { key: call.key, side: 'goto' }, gotoNote(target, end));
      if (target === END_TARGET) break;
      const position = steps.findLastIndex(({ name }) => name === target);
      at = position === -1 ? steps.length : position;
      continue;
    }
    if (hasFailed(end)) {
      unhandled.push({ call, end });
      if (stopsAtFailure(block)) break;
    }
    at += 1;
  }
  return { ...failedBlock(unhandled), ...defined({ last }) };
}

/**
 * Runs a workflow's steps and then, whatever happened, its `finally`, once per end: it runs again after retried steps. A cancelled or
 * interrupted run runs it too; if it is resumed, again at its own end. A run that waits runs it when it is resumed, since its first
 * call is refused until then.
 */
export async function runWithFinally(block: Block, steps: readonly Step[]): Promise<BlockEnd> {
  const again: StepKey[] = [];
  const runFinally = (): Promise<BlockEnd> =>
    runSteps({ ...block, durable: block.durable.atEnd, isTidyingUp: true }, block.definition.finally, (key) =>
      again.push(wholeKey(block, key)),
    );
  let main: BlockEnd;
  try {
    main = await runSteps(block, steps);
  } catch (problem) {
    if (isStop(problem)) await runFinally();
    throw problem;
  }
  const last = await runFinally();
  const { leaving } = main;
  if (leaving?.type === 'workflow' && leaving.status === 'failed') {
    const failure: Failure = { type: 'ended', message: leaving.message };
    const retryKeys = main.type === 'failed' ? main.retryKeys : [];
    return {
      type: 'failed',
      failedStep: leaving.step,
      failure,
      retryKeys: [...retryKeys, ...again],
      leaving,
    };
  }
  if (main.type === 'ended') return { ...last, ...defined({ leaving }) };
  return { ...main, retryKeys: [...main.retryKeys, ...again] };
}

/** Stores the results that later steps can see. */
function keep(block: Block, step: Step, end: StepEnd): void {
  for (const [name, record] of end.inner ?? []) block.records.set(name, record);
  block.records.set(step.name, end.record);
  if ((step.type === 'call' || step.type === 'program') && step.as !== undefined)
    block.records.set(step.as, end.record);
}

interface Failed {
  readonly call: StepCall;
  readonly end: StepEnd;
}

function runStep(call: StepCall): Promise<StepEnd> {
  const { when } = call.step;
  return when === undefined ? runIsolated(call) : runIfMet(call, when);
}

async function runIfMet(call: StepCall, when: Condition): Promise<StepEnd> {
  const judged = await judge(call.block, when, { key: call.key, side: 'when' });
  if (judged.type === 'error') return failedAtOnce(call, judged.error);
  if (!judged.value.isMet) return skipped(call, `skipped: ${judged.value.fact}`);
  const message = `condition met: ${judged.value.fact}`;
  await note(call.block, { key: call.key, side: 'met' }, { type: 'condition', message });
  return runIsolated(call);
}

function runIsolated(call: StepCall): Promise<StepEnd> {
  const { isolate } = call.step;
  if (isolate === undefined || isolatesBranches(call.step)) return runByKind(call);
  return runIsolatedStep(call, isolate, runByKind);
}

/** `isolate` is about each of its items or branches. */
function isolatesBranches({ type }: Step): boolean {
  return type === 'for-each' || type === 'parallel' || type === 'graph';
}

/** F4. */
function isAllowed(step: Step, { record: { status, failure } }: StepEnd): boolean {
  return step.allowFailure === true && status === 'failed' && failure?.type !== 'over-budget';
}

async function allow({ block, key }: StepCall, end: StepEnd): Promise<StepEnd> {
  await note(block, { key, side: 'allowed' }, { type: 'record', record: { allowed: true } });
  await note(
    block,
    { key, side: 'why' },
    { type: 'decision', message: 'failed; allowed by `allow_failure`' },
  );
  return { ...end, record: { ...end.record, allowed: true }, retryKeys: [] };
}

function hasFailed({ record }: StepEnd): boolean {
  return record.status === 'failed' && record.allowed !== true;
}

/** F1, F3. */
function gotoOf(step: Step, end: StepEnd): string | undefined {
  if (end.record.status === 'skipped') return undefined;
  return step.on.always ?? (hasFailed(end) ? step.on.failure : step.on.success);
}

function gotoNote(target: string, end: StepEnd): { readonly type: 'decision'; readonly message: string } {
  const how = end.record.status === 'failed' ? 'failed' : 'succeeded';
  return { type: 'decision', message: `${how}; continuing at \`${target}\`` };
}

/** F2. */
function stopsAtFailure(block: Block): boolean {
  return (block.options.onError ?? (block.definition.strictFlow ? 'stop' : 'continue')) === 'stop';
}

function failedBlock(failed: readonly Failed[]): BlockEnd {
  const first = failed[0];
  if (first === undefined) return { type: 'ended' };
  const retryKeys: StepKey[] = failed.flatMap(({ end }) => end.retryKeys);
  return {
    type: 'failed',
    failedStep: wholeKey(first.call.block, first.call.key),
    failure: first.end.record.failure ?? { type: 'exit-code', exitCode: first.end.record.exitCode },
    retryKeys,
  };
}
