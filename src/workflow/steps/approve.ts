import { defined } from '../../model/defined.ts';
import { askPerson } from '../../steps/ask-person.ts';
import { reachedBudget } from '../../steps/budget.ts';
import { failedAtOnce, skipped } from '../../steps/notes.ts';
import type { StepCall, StepEnd } from '../block.ts';
import type { ApproveStep, StepCommon } from '../definition.ts';
import { diffOf } from '../isolation.ts';
import { renderMessage } from '../render.ts';

export async function runApprove(call: StepCall<StepCommon & ApproveStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const message = renderMessage(block, step.message);
  if (message.type === 'error') return failedAtOnce(call, message.error);
  if (block.options.dryRun === true) return skipped(call, `dry run: would ask \`${message.value}\``);
  const reached = await reachedBudget(call);
  if (reached !== undefined) return failedAtOnce(call, reached);
  const diff =
    step.show === 'diff' && block.isolated !== undefined
      ? await diffOf(block.durable, block.isolated, key)
      : undefined;
  const { choices, timeoutMs } = step;
  return askPerson(call, {
    ...{ message: message.value, choices, timeoutMs },
    ...defined({ default: step.default, fields: step.fields, diff }),
  });
}
