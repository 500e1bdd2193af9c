import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type Block, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { asContainer } from '../container.ts';
import type { CallStep, StepCommon } from '../definition.ts';
import { failedAtOnce } from '../notes.ts';
import { renderText } from '../render.ts';
import { runSteps } from '../run-steps.ts';

/** Another workflow as a step. It sees its own context and steps only; its declared `outputs` come back as `json`. */
export async function runCall(call: StepCall<StepCommon & CallStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const given = renderValues(block, step.context);
  if (given.type === 'error') return failedAtOnce(call, given.error);
  const called: Block = {
    durable: block.durable,
    definition: step.workflow,
    path: key,
    wholePath: wholeKey(block, key),
    records: new Map(),
    outer: new Map(),
    context: { ...step.workflow.context, ...given.value },
    run: block.run,
    options: block.options,
    ledger: block.ledger,
  };
  return asContainer(call, { type: 'container', kind: 'call' }, async () => {
    const end = await runSteps(called, step.workflow.steps);
    const after = await runSteps(called, step.workflow.finally);
    if (end.type === 'failed') return { failure: end.failure, retryKeys: end.retryKeys };
    if (after.type === 'failed') return { failure: after.failure, retryKeys: after.retryKeys };
    const outputs = renderValues(called, step.workflow.outputs ?? {});
    if (outputs.type === 'error') return { failure: outputs.error, retryKeys: [] };
    return { retryKeys: [], fields: { json: outputs.value } };
  });
}

/** Renders every string in it; all undefined names at once. */
export function renderValues(
  block: Block,
  values: { readonly [key: string]: JsonValue },
): Result<{ readonly [key: string]: JsonValue }, Failure> {
  const rendered: { [key: string]: JsonValue } = {};
  const missing: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string') {
      rendered[key] = value;
      continue;
    }
    const text = renderText(block, value);
    if (text.type === 'ok') rendered[key] = text.value;
    else if (text.error.type === 'undefined-variables') missing.push(...text.error.names);
    else return text;
  }
  return missing.length === 0 ? ok(rendered) : error({ type: 'undefined-variables', names: missing });
}
