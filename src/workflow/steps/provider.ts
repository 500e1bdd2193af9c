/**
 * Runs a step with an agent. The agents of the fallback list are called in order until one succeeds. An agent whose result fails its
 * checks is asked again with the reasons, in the same conversation if it has one.
 */
import type { RunAgentInput, RunAgentOutput } from '../../effects/contracts.ts';
import type { StepOptions, Stepped } from '../../engine/durable.ts';
import { inTurn } from '../../engine/in-turn.ts';
import { recordOf } from '../../engine/record-of.ts';
import { secretsOfTools } from '../../model/agent-tools.ts';
import { defined } from '../../model/defined.ts';
import { type Failure, outcomeName } from '../../model/failure.ts';
import { sideKey } from '../../model/ids.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import type { StepRecord } from '../../model/record.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { chooseSandbox } from '../../model/sandbox.ts';
import { chooseAgent, providerNamed } from '../agent-choice.ts';
import type { StepCall, StepEnd } from '../block.ts';
import { type Allowance, admit, chargeStep, withinBudget } from '../budget.ts';
import { keepInCache, lookInCache } from '../cached.ts';
import type { ProviderDefinition, Step } from '../definition.ts';
import { asksForProof, notWorkedAround, warnOfDenial } from '../denial.ts';
import { checkDependencies } from '../dependencies.ts';
import { amend, failedAtOnce, note } from '../notes.ts';
import { cacheBasis, noteDryRun, promptOf } from '../prompt.ts';
import { checkProof, type Proof, provenFields } from '../proof.ts';
import { renderText } from '../render.ts';
import { retryPolicyOf } from '../retry-policy.ts';
import { withStatusOutputs } from '../status-outputs.ts';
import { stampValues, withValues } from '../values.ts';
import { recordNamed } from '../variables.ts';
import { endOf, processInput, unproven } from './command.ts';

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
  const asked = await askInTurn(
    call,
    names,
    inputs.map((input) => within(input, admitted.value)),
  );
  const done = await withValues(call, await proven(call, asked), before);
  const record = await withStatusOutputs(call, done);
  await keepInCache(call, cached.value, record);
  return endOf(call, record);
}

/** An override is one command line, whatever the provider, so it has no fallback. */
function agentNames({ block, step }: ProviderCall): readonly string[] {
  const first = block.options.agent ?? step.provider;
  const isOverride = step.commandOverride !== undefined && block.options.agent === undefined;
  return isOverride || block.options.dryRun === true
    ? [first]
    : [first, ...providerNamed(block, first).fallback];
}

interface Asked {
  readonly input: RunAgentInput;
  readonly stepped: Stepped<RunAgentOutput>;
  /** The calls of agents that failed before. */
  readonly earlier: readonly Stepped<RunAgentOutput>[];
}

async function askInTurn(
  call: ProviderCall,
  names: readonly string[],
  inputs: readonly RunAgentInput[],
): Promise<Asked> {
  const { block, step, key } = call;
  const inputAt = (index: number): RunAgentInput => {
    const input = inputs[index];
    if (input === undefined) throw new Error(`step \`${key}\` has no agent`);
    return input;
  };
  const { index, stepped, earlier } = await inTurn<RunAgentOutput>({
    names,
    retry: retryPolicyOf(step, block.options),
    async call(index, retry, isAgain) {
      const first = index === 0 ? key : sideKey(key, `agent${index + 1}`);
      const at = isAgain ? sideKey(first, 'again') : first;
      const stepped = await block.durable.step(at, 'run-agent', inputAt(index), {
        retry,
        ...checked(call),
        ...withinBudget(block),
      });
      chargeStep(block.ledger, stepped);
      return stepped;
    },
    async onSwitch(index, failed, next) {
      const message = `\`${names[index]}\` failed (${outcomeName(failed)}); switching to \`${names[next]}\``;
      await note(block, { key, side: `fallback${index + 1}` }, { type: 'decision', message });
    },
  });
  return { input: inputAt(index), stepped, earlier };
}

function checked({ block, step }: ProviderCall): Pick<StepOptions, 'isChecked'> {
  return step.expect === undefined || block.options.dryRun === true ? {} : { isChecked: true };
}

async function proven(call: ProviderCall, asked: Asked): Promise<StepRecord> {
  const { block, step, key } = call;
  let { stepped } = asked;
  const earlier = [...asked.earlier];
  for (let round = 1; ; round += 1) {
    const record = recordOf(stepped, earlier);
    const { denied } = stepped.output;
    if (step.expect === undefined || block.options.dryRun === true) return record;
    const refused = schemaRefusal(record);
    if (record.status !== 'completed' && refused === undefined) return record;
    const proof = refused === undefined ? await checkProof(call, record, round) : ok(refused);
    if (proof.type === 'error') return amend(call, record, unproven(proof.error));
    const { reasons } = proof.value;
    // Asking again would not help: the tool would be denied again.
    if (denied !== undefined && reasons.length > 0) return amend(call, record, notWorkedAround(denied));
    if (reasons.length === 0) {
      if (denied !== undefined) await warnOfDenial(call, round, denied);
      const fields = provenFields(record, proof.value);
      return Object.keys(fields).length === 0 ? record : amend(call, record, fields);
    }
    if (round > step.expect.reask) return amend(call, record, unproven({ type: 'unproven', reasons }));
    const admitted = await admit(call, round + 1);
    if (admitted.type === 'error') {
      return amend(call, record, unproven({ type: 'unproven', reasons }));
    }
    await note(
      block,
      { key, side: `reask${round}` },
      { type: 'decision', message: `asking again: ${reasons.join('; ')}` },
    );
    earlier.push(stepped);
    stepped = await block.durable.step(
      sideKey(key, `ask${round + 1}`),
      'run-agent',
      within(reaskInput(asked.input, stepped.output, reasons), admitted.value),
      { retry: retryPolicyOf(step, block.options), ...checked(call), ...withinBudget(block) },
    );
    chargeStep(block.ledger, stepped);
  }
}

/** An answer that does not match its schema counts as unproven, no matter which check found it. */
function schemaRefusal({ failure }: StepRecord): Proof | undefined {
  if (failure?.type !== 'invalid-output' || failure.reason !== 'schema') return undefined;
  return { reasons: [failure.message], files: [] };
}

function reaskInput(input: RunAgentInput, output: RunAgentOutput, reasons: readonly string[]): RunAgentInput {
  const findings = `Your result was checked and rejected:\n${reasons.map((reason) => `- ${reason}`).join('\n')}\nFix this.\n`;
  const { sessionId } = output;
  return sessionId === undefined
    ? { ...input, prompt: [...input.prompt, { type: 'text', text: `\n\n---\n${findings}` }] }
    : { ...input, session: { type: 'continue', sessionId }, prompt: [{ type: 'text', text: findings }] };
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

/** Limits the agent's own spending to the rest of the budget. */
function within(input: RunAgentInput, { usd }: Allowance): RunAgentInput {
  return usd === undefined ? input : { ...input, maxBudgetUsd: Math.min(usd, input.maxBudgetUsd ?? usd) };
}

function sessionOf({ block, step }: ProviderCall): Result<RunAgentInput['session'], Failure> {
  const from = step.continueFrom ?? step.forkFrom;
  if (from === undefined) return ok(undefined);
  const sessionId = recordNamed(block, from)?.sessionId;
  if (sessionId === undefined)
    return error({ type: 'undefined-variables', names: [`steps.${from}.session_id`] });
  return ok({ type: step.continueFrom === undefined ? 'fork' : 'continue', sessionId });
}
