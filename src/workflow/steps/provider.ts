/** Runs a step with an agent. */
import type { RunAgentInput } from '../../effects/contracts.ts';
import { secretsOfTools } from '../../model/agent-tools.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { sideKey } from '../../model/ids.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { chooseSandbox } from '../../model/sandbox.ts';
import { type AgentCall, askAgent } from '../../steps/ask-agent.ts';
import { admit } from '../../steps/budget.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import { endOf } from '../../steps/site.ts';
import { chooseAgent, providerNamed } from '../agent-choice.ts';
import type { StepCall, StepEnd } from '../block.ts';
import { keepInCache, lookInCache } from '../cached.ts';
import type { ProviderDefinition, Step } from '../definition.ts';
import { checkDependencies } from '../dependencies.ts';
import { cacheBasis, noteDryRun, promptOf } from '../prompt.ts';
import { asksForProof, checkProof } from '../proof.ts';
import { renderText } from '../render.ts';
import { retryPolicyOf } from '../retry-policy.ts';
import { withStatusOutputs } from '../status-outputs.ts';
import { stampValues, withValues } from '../values.ts';
import { recordNamed } from '../variables.ts';
import { processInput } from './command.ts';

type ProviderCall = StepCall<Extract<Step, { type: 'provider' }>>;

export async function runProvider(call: ProviderCall): Promise<StepEnd> {
  const depends = await checkDependencies(call);
  if (depends.type === 'error') return failedAtOnce(call, depends.error);
  const schema = await answerSchema(call);
  if (schema.type === 'error') return failedAtOnce(call, schema.error);
  const names = agentNames(call);
  const inputs: RunAgentInput[] = [];
  for (const [index, name] of names.entries()) {
    const input = agentInput(call, name, { injection: depends.value.injection, schema: schema.value });
    if (input.type === 'error') return failedAtOnce(call, input.error);
    // A fallback agent may be allowed what this one is denied.
    const toleratesDenial = index === names.length - 1 && asksForProof(call.block, call.step);
    inputs.push(toleratesDenial ? { ...input.value, toleratesDenial } : input.value);
  }
  const [first] = inputs;
  if (first === undefined) throw new Error(`step \`${call.key}\` has no agent`);
  if (call.block.options.dryRun === true) await noteDryRun(call, first);
  const cached = await lookInCache(call, cacheBasis(first));
  if (cached.type === 'error') return failedAtOnce(call, cached.error);
  if (cached.value.type === 'hit') return { record: cached.value.record, retryKeys: [] };
  const admitted = await admit(call);
  if (admitted.type === 'error') return failedAtOnce(call, admitted.error);
  const before = await stampValues(call);
  const workers = names.map((name) => call.step.worker ?? providerNamed(call.block, name).worker);
  const asked = await askAgent({ ...call, names, inputs, workers, ...retryAndProof(call) }, admitted.value);
  const done = await withValues(call, asked, before);
  const record = await withStatusOutputs(call, done);
  await keepInCache(call, cached.value, record);
  return endOf(call, record);
}

function retryAndProof(call: ProviderCall): Pick<AgentCall, 'retry' | 'proof'> {
  const { block, step } = call;
  const retry = retryPolicyOf(step, block.options);
  if (step.expect === undefined || block.options.dryRun === true) return { retry };
  const { reask } = step.expect;
  return { retry, proof: { reask, check: (record, round) => checkProof(call, record, round) } };
}

/** An override is one command line, whatever the provider, so it has no fallback. */
function agentNames({ block, step }: ProviderCall): readonly string[] {
  const first = block.options.agent ?? step.provider;
  const isOverride = step.commandOverride !== undefined && block.options.agent === undefined;
  return isOverride || block.options.dryRun === true
    ? [first]
    : [first, ...providerNamed(block, first).fallback];
}

/** The schema of `expect.json_schema` for the CLI's own option. With an `output_file`, the file is checked instead. */
async function answerSchema({
  block,
  step,
  key,
}: ProviderCall): Promise<Result<JsonObject | undefined, Failure>> {
  const wanted = step.expect?.jsonSchema;
  if (wanted === undefined || wanted.type === 'inline') return ok(wanted?.schema);
  const path = renderText(block, wanted.path);
  if (path.type === 'error') return path;
  const { output } = await block.durable.step(sideKey(key, 'schema'), 'read-file', { path: path.value });
  if (output.failure !== undefined) return error(output.failure);
  const schema = parseJsonObject(output.text ?? '');
  if (schema !== undefined) return ok(schema);
  const message = `\`${path.value}\` is not a JSON Schema`;
  return error({ type: 'invalid-output', reason: 'schema', message });
}

function agentInput(
  call: ProviderCall,
  name: string,
  given: { readonly injection: RunAgentInput['inject']; readonly schema: JsonObject | undefined },
): Result<RunAgentInput, Failure> {
  const { block, step } = call;
  const chosen = chooseAgent(block, step, name);
  if (chosen.type === 'error') return chosen;
  const common = processInput(block, step);
  if (common.type === 'error') return common;
  const prompt = promptOf(block, step);
  if (prompt.type === 'error') return prompt;
  const systemPrompt = step.systemPrompt === undefined ? ok(undefined) : renderText(block, step.systemPrompt);
  if (systemPrompt.type === 'error') return systemPrompt;
  const session = sessionOf(call);
  if (session.type === 'error') return session;
  const provider = providerNamed(block, name);
  const timeoutMs = step.timeoutMs ?? provider.timeoutMs;
  // In a dry run, no step has created the folder.
  const { cwd, ...process } = common.value;
  const secrets = [...new Set([...(common.value.secrets ?? []), ...secretsOfTools(chosen.value.tools)])];
  return ok({
    ...process,
    ...(block.options.dryRun === true ? {} : defined({ cwd })),
    ...chosen.value,
    ...(secrets.length === 0 ? {} : { secrets }),
    prompt: prompt.value,
    ...defined({
      inject: given.injection,
      systemPrompt: systemPrompt.value,
      session: session.value,
      jsonSchema: given.schema,
      timeoutMs,
      sandbox: chooseSandbox(provider.sandbox, step.sandbox),
      permissions: step.permissions,
      ask: rulesOf(call, provider),
      maxTurns: step.maxTurns,
      maxBudgetUsd: step.maxBudgetUsd,
    }),
  });
}

/** The nearest list; an agent that takes over keeps the rules of the one it replaces. A dry run has no tool calls. */
function rulesOf({ block, step }: ProviderCall, provider: ProviderDefinition): RunAgentInput['ask'] {
  if (block.options.dryRun === true) return undefined;
  return step.ask ?? provider.ask ?? providerNamed(block, block.options.agent ?? step.provider).ask;
}

function sessionOf({ block, step }: ProviderCall): Result<RunAgentInput['session'], Failure> {
  const from = step.continueFrom ?? step.forkFrom;
  if (from === undefined) return ok(undefined);
  const sessionId = recordNamed(block, from)?.sessionId;
  if (sessionId === undefined)
    return error({ type: 'undefined-variables', names: [`steps.${from}.session_id`] });
  return ok({ type: step.continueFrom === undefined ? 'fork' : 'continue', sessionId });
}
