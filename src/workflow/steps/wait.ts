import { recordOf } from '../../engine/record-of.ts';
import { defined } from '../../model/defined.ts';
import { sideKey } from '../../model/ids.ts';
import { withinBudget } from '../../steps/budget.ts';
import { failedAtOnce, skipped } from '../../steps/notes.ts';
import { shownGlob } from '../../store/glob-pattern.ts';
import { type StepCall, type StepEnd, wholeKey } from '../block.ts';
import type { StepCommon, WaitStep } from '../definition.ts';
import { renderGlob } from '../render.ts';

export async function runWait(call: StepCall<StepCommon & WaitStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const glob = renderGlob(block, step.glob);
  if (glob.type === 'error') return failedAtOnce(call, glob.error);
  if (block.options.dryRun === true)
    return skipped(call, `dry run: would wait for \`${shownGlob(glob.value)}\``);
  const startedAt = await block.durable.now(sideKey(key, 'began'));
  const { timeoutMs, pollMs, minCount } = step;
  const stepped = await block.durable.step(
    key,
    'wait-for-files',
    { glob: glob.value, timeoutMs, pollMs, minCount, startedAt },
    { ...withinBudget(block), ...defined({ worker: step.worker }), since: startedAt },
  );
  const record = recordOf(stepped);
  return {
    record,
    retryKeys:
      record.status === 'failed' ? [wholeKey(block, key), sideKey(wholeKey(block, key), 'began')] : [],
  };
}
