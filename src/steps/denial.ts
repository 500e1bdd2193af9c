/** A tool that was denied to the agent: a warning if the step requires proof and the proof succeeds, otherwise a failure. */
import type { Denied } from '../model/agent.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';
import type { StepRecord } from '../model/record.ts';
import { note } from './notes.ts';
import type { SiteCall } from './site.ts';

export function notWorkedAround(denied: Denied): Partial<StepRecord> {
  const failure: Failure = { type: 'agent', outcome: denied };
  return { status: 'failed', exitCode: exitCodeFor(failure), outcome: outcomeName(failure), failure };
}

export async function warnOfDenial({ block, key }: SiteCall, round: number, denied: Denied): Promise<void> {
  const message = `all checks passed, although ${describeFailure({ type: 'agent', outcome: denied })}`;
  await note(block, { key, side: `denied${round}` }, { type: 'decision', message });
}
