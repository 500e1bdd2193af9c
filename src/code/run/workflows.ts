/** `call`: another workflow as part of this run, in code or as a file. */
import { sideKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { asContainer } from '../../steps/container.ts';
import { type SiteCall, wholeKey } from '../../steps/site.ts';
import type { Context } from '../written/context.ts';
import { StepFailed } from '../written/errors.ts';
import { isWorkflow, type Workflow } from '../written/workflow.ts';
import { retryKeysOf, stepFailed } from './failed-calls.ts';
import { OwnProblem } from './own-problem.ts';
import { describeNotJson, plainJson } from './plain-json.ts';
import { validated } from './schemas.ts';
import { Scope } from './scope.ts';

interface Called {
  readonly called: unknown;
  readonly input: unknown;
  readonly contextOf: (scope: Scope) => Context;
}

export function callWorkflow(
  scope: Scope,
  name: string,
  { called, input, contextOf }: Called,
): Promise<unknown> {
  return scope.call(name, (call) => {
    if (isWorkflow(called)) return callInCode(scope, call, { workflow: called, input, contextOf });
    if (typeof called === 'string' && /\.[cm]?[jt]s$/.test(called))
      throw scope.mistake(`\`${called}\` is a program: import its workflow, and pass that to \`${name}\``);
    if (typeof called === 'string') return callFile(scope, call, { file: called, given: input ?? {} });
    throw scope.mistake(`\`${name}\` needs a workflow made with workflow(), or the path of a workflow file`);
  });
}

async function callInCode(
  scope: Scope,
  call: SiteCall,
  {
    workflow,
    input,
    contextOf,
  }: { readonly workflow: Workflow; readonly input: unknown } & Pick<Called, 'contextOf'>,
): Promise<unknown> {
  const { block, key } = call;
  const given = await compared(scope, call, input ?? {});
  const fit = await fitting(scope, workflow, given);
  const inner = new Scope(scope.execution, workflow, {
    durable: block.durable,
    ...{ path: key, wholePath: wholeKey(block, key), within: scope.within },
  });
  const { end, retryKeys } = await asContainer(
    call,
    { type: 'container', kind: 'call', title: workflow.name },
    async () => {
      try {
        const output = await outputOf(scope, workflow, await workflow.run(contextOf(inner), fit as never));
        await inner.end();
        return { retryKeys: [], fields: output === undefined ? {} : { json: output }, output };
      } catch (problem) {
        await inner.close();
        if (!(problem instanceof StepFailed)) throw new OwnProblem(problem);
        return { retryKeys: retryKeysOf(problem), failure: problem.failure, causes: [problem] };
      }
    },
  );
  if ('failure' in end && end.failure !== undefined)
    throw stepFailed(scope, call, { failure: end.failure, retryKeys, causes: end.causes ?? [] });
  const { output } = workflow;
  if (output === undefined || !('output' in end)) return 'output' in end ? end.output : undefined;
  const made = await validated(output, end.output);
  return made.type === 'ok' ? made.value : undefined;
}

/** The input is recorded, so that a replay sees whether it has changed. */
async function compared(scope: Scope, { block, key }: SiteCall, input: unknown): Promise<JsonValue> {
  const plain = plainJson(input);
  if (plain.type === 'error') throw scope.mistake(`the input of \`${key}\`: ${describeNotJson(plain.error)}`);
  const options = { syncWithNext: true, ...scope.compared };
  await block.durable.step(sideKey(key, 'input'), 'remember', { value: plain.value }, options);
  return plain.value;
}

/** What the schema of the workflow makes of its input. */
export async function fitting(scope: Scope, { name, input }: Workflow, given: JsonValue): Promise<unknown> {
  if (input === undefined) return given;
  const made = await validated(input, given);
  if (made.type === 'ok') return made.value;
  throw scope.mistake(`the input of \`${name}\` does not fit: ${made.error.join('; ')}`);
}

/** What the workflow returned, as it is recorded: checked, but not transformed. */
export async function outputOf(
  scope: Scope,
  { name, output }: Workflow,
  value: unknown,
): Promise<JsonValue | undefined> {
  const plain = value === undefined ? undefined : plainJson(value);
  if (plain?.type === 'error')
    throw scope.mistake(`\`${name}\` returned something else than JSON: ${describeNotJson(plain.error)}`);
  if (output !== undefined) {
    const made = await validated(output, plain?.value);
    if (made.type === 'error')
      throw scope.mistake(`the output of \`${name}\` does not fit: ${made.error.join('; ')}`);
  }
  return plain?.value;
}

async function callFile(
  scope: Scope,
  call: SiteCall,
  { file, given }: { readonly file: string; readonly given: unknown },
): Promise<JsonObject> {
  const { execution } = scope;
  if (execution.host.callFile === undefined) throw scope.mistake(`\`${file}\` cannot be called here`);
  const plain = await compared(scope, call, given);
  execution.replay?.owners.set(wholeKey(call.block, call.key), 'file');
  const context = isJsonObject(plain) && isJsonObject(plain['context']) ? plain['context'] : {};
  const { record, retryKeys } = await execution.host.callFile(call, { file, context, by: execution });
  if (record.failure !== undefined) throw stepFailed(scope, call, { failure: record.failure, retryKeys });
  return isJsonObject(record.json) ? record.json : {};
}
