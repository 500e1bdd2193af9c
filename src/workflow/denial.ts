/** A tool that was denied to the agent: a warning if the step requires proof and the proof succeeds, otherwise a failure. */
import type { Denied } from '../model/agent.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';
import type { StepRecord } from '../model/record.ts';
import type { Block, StepCall } from './block.ts';
import type { Step } from './definition.ts';
import { note } from './notes.ts';

/** An empty `expect` proves nothing. */
export function asksForProof(block: Block, { expect }: Step): boolean {
  if (expect === undefined || block.options.dryRun === true) return false;
  return expect.files.length > 0 || expect.jsonSchema !== undefined || expect.command !== undefined;
}

export function notWorkedAround(denied: Denied): Partial<StepRecord> {
  const failure: Failure = { type: 'agent', outcome: denied };
  return { status: 'failed', exitCode: exitCodeFor(failure), outcome: outcomeName(failure), failure };
}

export async function warnOfDenial({ block, key }: StepCall, round: number, denied: Denied): Promise<void> {
  const message = `all checks passed, although ${describeFailure({ type: 'agent', outcome: denied })}`;
  await note(block, { key, side: `denied${round}` }, { type: 'decision', message });
}
