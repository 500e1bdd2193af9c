import { defined } from '../../model/defined.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import { type Block, type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { callInputs } from '../call-inputs.ts';
import { asContainer } from '../container.ts';
import type { CallStep, StepCommon, WorkflowDefinition } from '../definition.ts';
import { outputsOf } from '../outputs.ts';
import { renderValues } from '../render.ts';
import { runWithFinally } from './run-steps.ts';

/** Runs another workflow as a step. It sees only its own context and steps; its declared `outputs` are returned as `json`. An `end` in it ends only it. */
export async function runCall(call: StepCall<StepCommon & CallStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const given = renderValues(block, step.context);
  if (given.type === 'error') return failedAtOnce(call, given.error);
  const inputs = await callInputs(call, given.value);
  if (inputs.type === 'error') return failedAtOnce(call, inputs.error);
  const called: Block = {
    durable: block.durable,
    definition: withChosenAgent(block, step.workflow),
    path: key,
    wholePath: wholeKey(block, key),
    records: new Map(),
    outer: new Map(),
    context: { ...step.workflow.context, ...inputs.value },
    run: block.run,
    options: block.options,
    ledger: block.ledger,
    ...defined({ kept: block.kept, isTidyingUp: block.isTidyingUp, callProgram: block.callProgram }),
  };
  return asContainer(call, { type: 'container', kind: 'call' }, async () => {
    const end = await runWithFinally(called, step.workflow.steps);
    if (end.type === 'failed') return { failure: end.failure, retryKeys: end.retryKeys };
    const outputs = outputsOf(called, end);
    if (outputs.type === 'error') return { failure: outputs.error, retryKeys: [] };
    return { retryKeys: [], fields: { json: outputs.value } };
  });
}

/** The agent named by `--agent` is defined in the workflow that was started, and replaces the others in called workflows too. */
function withChosenAgent(block: Block, workflow: WorkflowDefinition): WorkflowDefinition {
  const { agent } = block.options;
  const chosen = agent === undefined ? undefined : block.definition.providers[agent];
  if (agent === undefined || chosen === undefined) return workflow;
  return { ...workflow, providers: { ...workflow.providers, [agent]: chosen } };
}
