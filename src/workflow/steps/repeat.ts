import { defined } from '../../model/defined.ts';
import { sideKey, stepKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { withinBudget } from '../../steps/budget.ts';
import { note } from '../../steps/notes.ts';
import { type Block, innerBlock, layered, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { judge } from '../condition.ts';
import { asContainer, type ContainerEnd } from '../container.ts';
import type { RepeatStep, StepCommon } from '../definition.ts';
import { runSteps } from './run-steps.ts';

/** Runs its steps until the condition, which can see them, holds. Later steps see those of the last iteration. */
export function runRepeat(call: StepCall<StepCommon & RepeatStep>): Promise<StepEnd> {
  return asContainer(call, { type: 'container', kind: 'repeat' }, () => iterate(call));
}

async function iterate(call: StepCall<StepCommon & RepeatStep>): Promise<ContainerEnd> {
  const { block, step, key } = call;
  let last: ReadonlyMap<string, StepRecord> = new Map();
  const earlier = new Map<string, StepRecord>();
  for (let index = 0; index < step.maxIterations; index += 1) {
    const at = stepKey(key, index);
    for (const [name, record] of last) earlier.set(name, record);
    const inner = seeing(
      earlier,
      innerBlock(block, {
        key: at,
        wholePath: stepKey(wholeKey(block, key), index),
        loop: {
          kind: 'repeat',
          as: 'iteration',
          item: index,
          index,
          total: step.maxIterations,
          ...defined({ around: block.loop }),
        },
      }),
    );
    last = inner.records;
    const end = await runSteps(inner, step.steps);
    const leaving = end.leaving?.type === 'workflow' ? { leaving: end.leaving } : {};
    if (end.type === 'failed')
      return { failure: end.failure, retryKeys: end.retryKeys, inner: last, ...leaving };
    if (end.leaving !== undefined) return { retryKeys: [], inner: last, ...leaving };
    const judged = await judge(inner, step.until, { key: at, side: 'until' });
    if (judged.type === 'error') {
      const retryKeys = [sideKey(stepKey(wholeKey(block, key), index), 'until')];
      return { failure: judged.error, retryKeys, inner: last };
    }
    const { isMet, fact } = judged.value;
    const message = `after iteration ${index + 1}, \`until\` is ${isMet ? '' : 'not '}met: ${fact}`;
    await note(block, { key, side: `until${index}` }, { type: 'condition', message });
    if (isMet) return { retryKeys: [], inner: last };
    if (step.delayMs > 0 && index + 1 < step.maxIterations) {
      const now = await block.durable.now(sideKey(at, 'pause'));
      const until = new Date(Date.parse(now) + step.delayMs).toISOString();
      await block.durable.sleepUntil(sideKey(at, 'sleep'), until, withinBudget(block));
    }
  }
  const failure = { type: 'exhausted', iterations: step.maxIterations } as const;
  if (step.onExhausted === 'fail') return { failure, retryKeys: [], inner: last };
  await note(
    block,
    { key, side: 'why' },
    {
      type: 'decision',
      message: `condition not met after ${step.maxIterations} iterations; continuing (\`on_exhausted: continue\`)`,
    },
  );
  return { retryKeys: [], fields: { outcome: 'exhausted' }, inner: last };
}

/** Until a step is reached, its result is that of an earlier iteration: the next attempt reads what a review has found. */
function seeing(earlier: ReadonlyMap<string, StepRecord>, inner: Block): Block {
  return earlier.size === 0 ? inner : { ...inner, outer: layered(earlier, inner.outer) };
}
