import type { CheckProofInput, RunAgentOutput } from '../effects/contracts.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { UNVERIFIED } from '../model/text-only-agent.ts';
import { withinBudget } from './budget.ts';
import type { SiteCall } from './site.ts';

export interface Proof {
  /** Empty if every check passed. */
  readonly reasons: readonly string[];
  readonly files: readonly string[];
  /** The value that was checked against the schema. */
  readonly json?: JsonValue;
}

/** The fields that successful checks add to a step's record. */
export function provenFields(record: StepRecord, proof: Proof): Partial<StepRecord> {
  const artifacts = [...new Set([...(record.artifacts ?? []), ...proof.files])];
  return {
    ...(artifacts.length === (record.artifacts ?? []).length ? {} : { artifacts }),
    ...(record.outcome === UNVERIFIED ? { outcome: 'done' } : {}),
    ...(proof.json === undefined || record.json !== undefined ? {} : { json: proof.json }),
  };
}

export function unproven(failure: Failure): Partial<StepRecord> {
  return failure.type === 'unproven'
    ? { status: 'failed', exitCode: 3, outcome: 'unproven', failure }
    : { status: 'failed', exitCode: 2, outcome: failure.type, failure };
}

/** Checks what a step must have done. `round` distinguishes the checks of one step. */
export async function prove(
  { block, key }: SiteCall,
  input: CheckProofInput,
  { round, worker }: { readonly round: number; readonly worker?: string | undefined },
): Promise<Result<Proof, Failure>> {
  const at = sideKey(key, `expect${round}`);
  const { output } = await block.durable.step(at, 'check-proof', input, {
    ...withinBudget(block),
    ...defined({ worker }),
  });
  return output.failure === undefined ? ok(output) : error(output.failure);
}

/** The structured answer of an agent, its complete answer, or the captured output. */
export function subjectIn(
  record: StepRecord & Pick<RunAgentOutput, 'answer' | 'structured'>,
): NonNullable<CheckProofInput['subject']> {
  const value = record.json ?? record.structured;
  if (value !== undefined) return { type: 'value', text: JSON.stringify(value) };
  if (record.answer !== undefined) return { type: 'value', text: record.answer };
  return { type: 'value', text: record.output ?? '', ...(record.truncated === true ? { isCut: true } : {}) };
}
