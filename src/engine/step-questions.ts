/** The questions of a step (D6): recorded with the attempt that asks, answered like those of `answer`, passed on to the next attempt. */
import { defined } from '../model/defined.ts';
import type { Answer, JournalEvent, Question } from '../model/event.ts';
import { insideKey, type StepKey, stepKey } from '../model/ids.ts';
import type { Asked, Asks, Spent } from '../model/record.ts';
import type { LocalHost } from './local-host.ts';
import { type AskedRound, askedIn, type OpenStep, type Recorded } from './recorded.ts';

/** `Deploy` and `toolu_1` → `Deploy/toolu_1`; of another call of the same step, `Deploy@agent2` → `Deploy/agent2-toolu_1`. */
export function questionKey(key: StepKey, name: string): StepKey {
  const at = key.indexOf('@');
  if (at === -1) return insideKey(key, stepKey(name));
  const side = key.slice(at + 1).replaceAll('@', '-');
  return insideKey(key.slice(0, at), stepKey(`${side}-${name}`));
}

/** What the step has asked so far; all of it is answered when its next attempt starts. */
export function askedBefore({ recorded }: LocalHost, key: StepKey): readonly Asked[] {
  return (recorded.open.get(key)?.asked ?? []).map(({ questions, memo }) => ({
    memo,
    answers: Object.fromEntries(
      Object.keys(questions).flatMap((name) => {
        const answer = recorded.answers.get(questionKey(key, name));
        return answer === undefined ? [] : [[name, answer]];
      }),
    ),
  }));
}

/** The questions of the step that have no answer yet. */
export function openQuestions(recorded: Recorded, key: StepKey): readonly (readonly [StepKey, Question])[] {
  return (recorded.open.get(key)?.asked ?? [])
    .flatMap(({ questions }) => Object.entries(questions))
    .map(([name, question]) => [questionKey(key, name), question] as const)
    .filter(([question]) => !recorded.answers.has(question));
}

export interface AskingAttempt {
  readonly asks: Asks;
  readonly spent?: Spent;
  readonly before: Omit<OpenStep, 'asked'>;
  readonly asked?: readonly AskedRound[];
}

export async function recordQuestions(
  host: LocalHost,
  key: StepKey,
  { asks, spent, before, asked }: AskingAttempt,
): Promise<void> {
  const { questions, memo } = asks;
  const event: Extract<JournalEvent, { type: 'attempt-asked' }> = {
    type: 'attempt-asked',
    at: new Date().toISOString(),
    ...{ key, attempt: before.attempt, questions, memo },
    ...defined({ spent }),
  };
  await host.record(event);
  host.recorded.open.set(key, askedIn({ ...before, ...defined({ asked }) }, event));
  for (const [name, answer] of Object.entries(asks.answers ?? {})) {
    const question = questions[name];
    if (question !== undefined) await answerAtOnce(host, questionKey(key, name), { question, answer });
  }
}

/** The answer is part of a recording. */
async function answerAtOnce(
  host: LocalHost,
  key: StepKey,
  { question, answer }: { readonly question: Question; readonly answer: Answer },
): Promise<void> {
  const at = new Date().toISOString();
  host.recordSoon({ type: 'question-asked', at, key, question });
  await host.record({ type: 'question-answered', at, key, answer });
  host.recorded.answers.set(key, answer);
}
