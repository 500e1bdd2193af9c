/** A blocked agent asks a person: the run waits, in no process, until the question is answered. */
import { runAll } from '../../engine/pool.ts';
import type { Answer } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { Blocker } from '../workspace/status.ts';
import { type LoopState, set, updateMetadata } from './loop-state.ts';

export interface AgentQuestion {
  readonly question: string;
  readonly choices?: readonly string[] | undefined;
}

export function questionsIn(blockers: readonly Blocker[] | undefined): readonly AgentQuestion[] {
  return (blockers ?? []).filter((blocker) => typeof blocker !== 'string');
}

/** Asks at once what has not been asked before. A question that stays in the status file gets the same answer again. */
export async function askPerson(
  state: LoopState,
  key: StepKey,
  questions: readonly AgentQuestion[],
): Promise<Failure | undefined> {
  const open = unasked(state, questions);
  if (open.length > 0) {
    const waiting = [set(['stopReason'], 'waiting')];
    const unkept = await updateMetadata(state, sideKey(key, 'waiting'), waiting);
    if (unkept !== undefined) return unkept;
    const given = await runAll(
      state.durable,
      open.length,
      open.map(({ question, choices = [] }, index) => {
        const at = stepKey(key, `question-${index + 1}`);
        return {
          key: sideKey(at, 'asked'),
          // Asked by the loop itself, so that the question has a key of the iteration.
          body: async () =>
            [question, textOf(await state.durable.answer(at, { message: question, choices }))] as const,
        };
      }),
    );
    for (const [question, answer] of given) state.answers.set(question, answer);
    const continues = [{ type: 'remove', at: ['stopReason'] } as const];
    const kept = await updateMetadata(state, sideKey(key, 'answered'), continues);
    if (kept !== undefined) return kept;
  }
  state.answered = questions.map(({ question }) => ({
    question,
    answer: state.answers.get(question) ?? '',
  }));
  return undefined;
}

function unasked({ answers }: LoopState, questions: readonly AgentQuestion[]): readonly AgentQuestion[] {
  const byText = new Map(questions.map((each) => [each.question, each]));
  return [...byText.values()].filter(({ question }) => !answers.has(question));
}

function textOf(answer: Answer): string {
  const comment = answer.type === 'chosen' && answer.comment !== undefined ? ` (${answer.comment})` : '';
  return `${answer.choice ?? ''}${comment}`;
}
