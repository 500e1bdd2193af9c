/**
 * Calls an agent as one step. The agents of the fallback list are called in order until one succeeds. An agent whose result fails its checks
 * is asked again with the reasons, in the same conversation if it has one.
 */

import type { RunAgentInput, RunAgentOutput } from '../effects/contracts.ts';
import type { StepOptions, Stepped } from '../engine/durable.ts';
import { inTurn } from '../engine/in-turn.ts';
import { recordOf } from '../engine/record-of.ts';
import type { RetryPolicy } from '../engine/retry.ts';
import { defined } from '../model/defined.ts';
import { type Failure, outcomeName } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { StepRecord } from '../model/record.ts';
import { ok, type Result } from '../model/result.ts';
import { type Allowance, admit, chargeStep, withinBudget } from './budget.ts';
import { notWorkedAround, warnOfDenial } from './denial.ts';
import { amend, note } from './notes.ts';
import { type Proof, provenFields, unproven } from './proof.ts';
import type { SiteCall } from './site.ts';

export interface AgentCall extends SiteCall {
  /** The agents of the fallback list, and the input for each. */
  readonly names: readonly string[];
  readonly inputs: readonly RunAgentInput[];
  readonly retry: RetryPolicy;
  /** The label of the workers that have each agent. */
  readonly workers?: readonly (string | undefined)[];
  /** For every call of an agent, besides those that all have. */
  readonly options?: StepOptions;
  /** Undefined: nothing is checked. */
  readonly proof?: {
    readonly reask: number;
    check(record: StepRecord, round: number): Promise<Result<Proof, Failure>>;
  };
}

/** Fails if the budget is used up before the first call. */
export async function askAgent(call: AgentCall, admitted: Allowance): Promise<StepRecord> {
  const inputs = call.inputs.map((input) => within(input, admitted));
  return proven(call, await askInTurn({ ...call, inputs }));
}

interface Asked {
  readonly index: number;
  readonly input: RunAgentInput;
  readonly stepped: Stepped<RunAgentOutput>;
  /** The calls of agents that failed before. */
  readonly earlier: readonly Stepped<RunAgentOutput>[];
}

async function askInTurn(call: AgentCall): Promise<Asked> {
  const { block, key, names, inputs } = call;
  const inputAt = (index: number): RunAgentInput => {
    const input = inputs[index];
    if (input === undefined) throw new Error(`step \`${key}\` has no agent`);
    return input;
  };
  const { index, stepped, earlier } = await inTurn<RunAgentOutput>({
    names,
    retry: call.retry,
    async call(index, retry, isAgain) {
      const first = index === 0 ? key : sideKey(key, `agent${index + 1}`);
      const at = isAgain ? sideKey(first, 'again') : first;
      const stepped = await block.durable.step(
        at,
        'run-agent',
        inputAt(index),
        optionsOf(call, retry, index),
      );
      chargeStep(block.ledger, stepped);
      return stepped;
    },
    async onSwitch(index, failed, next) {
      const message = `\`${names[index]}\` failed (${outcomeName(failed)}); switching to \`${names[next]}\``;
      await note(block, { key, side: `fallback${index + 1}` }, { type: 'decision', message });
    },
  });
  return { index, input: inputAt(index), stepped, earlier };
}

function optionsOf(
  { block, options, proof, workers }: AgentCall,
  retry: RetryPolicy,
  index: number,
): StepOptions {
  return {
    ...{ retry, ...options },
    ...(proof === undefined ? {} : { isChecked: true }),
    ...withinBudget(block),
    ...defined({ worker: workers?.[index] }),
  };
}

async function proven(call: AgentCall, asked: Asked): Promise<StepRecord> {
  const { block, key, proof: wanted } = call;
  let { stepped } = asked;
  const earlier = [...asked.earlier];
  for (let round = 1; ; round += 1) {
    const record = recordOf(stepped, earlier);
    const { denied } = stepped.output;
    if (wanted === undefined) return record;
    const refused = schemaRefusal(record);
    if (record.status !== 'completed' && refused === undefined) return record;
    const proof = refused === undefined ? await wanted.check(record, round) : ok(refused);
    if (proof.type === 'error') return amend(call, record, unproven(proof.error));
    const { reasons } = proof.value;
    // Asking again would not help: the tool would be denied again.
    if (denied !== undefined && reasons.length > 0) return amend(call, record, notWorkedAround(denied));
    if (reasons.length === 0) {
      if (denied !== undefined) await warnOfDenial(call, round, denied);
      const fields = provenFields(record, proof.value);
      return Object.keys(fields).length === 0 ? record : amend(call, record, fields);
    }
    if (round > wanted.reask) return amend(call, record, unproven({ type: 'unproven', reasons }));
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
      optionsOf(call, call.retry, asked.index),
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

/** Limits the agent's own spending to the rest of the budget. */
function within(input: RunAgentInput, { usd }: Allowance): RunAgentInput {
  return usd === undefined ? input : { ...input, maxBudgetUsd: Math.min(usd, input.maxBudgetUsd ?? usd) };
}
