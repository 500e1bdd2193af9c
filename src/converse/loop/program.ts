/**
 * The program `converse`: repeats prompt, answer and tools until the agent requests no tool.
 *
 * C1 `completed` only if the agent requested no tool. Running out of iterations is `exhausted`, a failure.
 * C2 The next prompt is made only from the journal, so a resumed conversation sends the same prompt.
 * C3 Every tool result goes to the agent. Only consecutive agent failures or malformed answers end the loop.
 */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Programs } from '../../engine/durable.ts';
import { stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { quoteWord } from '../../template/quote.ts';
import { iterationKey, type Loop, type Stopped } from '../conversation.ts';
import { CONVERSE_PROGRAM, type ConverseInput, type ConverseOutput } from '../input.ts';
import { keep, type SessionChange } from '../keep-files.ts';
import type { Turn } from '../turn.ts';
import { takeTurn } from './iteration.ts';

export const conversePrograms: Programs<EffectMap> = {
  [CONVERSE_PROGRAM]: converse,
};

const RUN_KEY = stepKey('run');
const END_KEY = stepKey('end');

async function converse(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const loop: Loop = { durable, input: given as unknown as ConverseInput, decided: new Map() };
  const unkept = await keep(loop, RUN_KEY, [{ type: 'session', side: 'began', set: { status: 'running' } }]);
  const output = unkept === undefined ? await end(loop, await goRound(loop)) : failed(unkept, 0);
  return output as unknown as JsonValue;
}

type LoopEnd = Omit<ConverseOutput, 'retryKeys'> & Partial<Pick<ConverseOutput, 'retryKeys'>>;

async function goRound(loop: Loop): Promise<LoopEnd> {
  const { maxIterations, limits } = loop.input;
  const turns: Turn[] = [];
  let errors = 0;
  while (turns.length < maxIterations) {
    const taken = await takeTurn(loop, { turns, errors });
    if ('failure' in taken) return failed(taken, turns.length);
    turns.push(taken.turn);
    const iterations = turns.length;
    // C1
    if (taken.isLast) return { status: 'completed', iterations, answer: taken.turn.text };
    errors = taken.isMalformed ? errors + 1 : 0;
    if (errors >= limits.maxConsecutiveErrors) return madeNoSense(errors, taken.turn);
  }
  return {
    status: 'exhausted',
    iterations: turns.length,
    failure: { type: 'exhausted', iterations: maxIterations, what: 'the agent still requested tools' },
    continueWith: `orchestrate converse resume ${quoteWord(loop.input.folder)} --session ${loop.input.sessionId} --max-iterations ${maxIterations * 2}`,
  };
}

function failed(stopped: Stopped, iterations: number): ConverseOutput {
  return { status: 'failed', iterations, ...stopped };
}

/** C3 */
function madeNoSense(errors: number, { iteration, results }: Turn): LoopEnd {
  const key = iterationKey(iteration);
  const message = `${errors === 1 ? 'the answer was' : `${errors} answers in a row were`} malformed; last problem: ${results[0]?.output ?? 'none'}`;
  return {
    status: 'failed',
    iterations: iteration,
    failure: { type: 'invalid-output', reason: 'invalid', message },
    failedStep: key,
    retryKeys: [key],
  };
}

/** Derives the document's status from how the loop ended. */
async function end(loop: Loop, ended: LoopEnd): Promise<ConverseOutput> {
  const retryKeys = ended.failure === undefined ? [] : [...(ended.retryKeys ?? []), END_KEY];
  const at = await loop.durable.now(END_KEY);
  const set: SessionChange = {
    status: ended.status,
    current_iteration: ended.iterations,
    ...(ended.status === 'completed' ? { completed_at: at } : {}),
  };
  const unkept = await keep(loop, END_KEY, [{ type: 'session', side: 'state', set }]);
  if (unkept !== undefined) {
    const keys = [...(ended.retryKeys ?? []), ...unkept.retryKeys];
    // The first cause counts, and resuming repeats what failed first.
    return failed(
      { ...unkept, ...(ended.failure === undefined ? {} : ended), retryKeys: keys },
      ended.iterations,
    );
  }
  return { ...ended, retryKeys };
}
