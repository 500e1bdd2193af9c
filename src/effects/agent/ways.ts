/** The ways to call an agent whose conversation may be lost: in turn, until the agent knows it. The last one continues none. */
import type { Answered } from '../ask/asked-calls.ts';
import type { RunAgentInput } from '../contracts.ts';

const CONTINUE_MESSAGE =
  'You were interrupted before you finished. Continue where you left off: check what is already done, finish the task as it was given, and end with the answer it asks for.';

/** How the agent is called: what it continues, and its prompt. */
export interface Way {
  /** The conversation of this same task. */
  readonly continues?: string;
  /** Without the conversation that it was asked to continue. */
  readonly isAnew?: boolean;
  readonly prompt: string;
  readonly answered?: Answered | undefined;
}

/** What is known when it is called. */
export interface Start {
  readonly prompt: string;
  /** The conversation that it is asked to continue. */
  readonly session?: RunAgentInput['session'];
  /** That of an earlier attempt. */
  readonly interrupted?: string;
  readonly answered?: Answered;
  /** The worker that has the conversation (`EffectContext.partedFrom`). */
  readonly partedFrom?: string;
  /** An earlier attempt, if there was one, had a conversation that would be continued. */
  readonly continuesByItself: boolean;
}

export function waysToCall(start: Start): readonly Way[] {
  const { prompt, session, interrupted, answered, partedFrom } = start;
  // Machines may share what their agents keep: a conversation of another one is tried first.
  const mayBeLost = session !== undefined && partedFrom !== undefined;
  const afresh: readonly Way[] = [{ prompt }, ...(mayBeLost ? [{ prompt, isAnew: true }] : [])];
  // A5 of `run-agent.ts`
  if (answered !== undefined) {
    const { sessionId: continues, message } = answered;
    return [
      { continues, prompt: message, answered },
      ...(message === '' ? [{ continues, prompt: CONTINUE_MESSAGE, answered }] : []),
      ...afresh,
    ];
  }
  if (interrupted === undefined) return afresh;
  return [{ continues: interrupted, prompt: CONTINUE_MESSAGE }, ...afresh];
}

/** What is shown if a conversation should have been continued and was not. */
export function remarksOn(start: Start, ways: readonly Way[], taken: Way): readonly string[] {
  const { session, partedFrom, continuesByItself } = start;
  const isContinued = taken.continues !== undefined || (session !== undefined && taken.isAnew !== true);
  if (isContinued) return [];
  const wasLost = taken !== ways[0];
  if (partedFrom !== undefined && (wasLost || continuesByItself))
    return [`the agent's conversation was on worker \`${partedFrom}\`, which is gone: started a new one`];
  return wasLost ? ['the agent no longer has its conversation: started a new one'] : [];
}
