/** Answers as rows. They are read into memory while the run works, since a run asks for them in the middle of its own code. */
import type { Answer } from '../../model/event.ts';
import type { StepKey } from '../../model/ids.ts';
import { parseJsonObject } from '../../model/json.ts';
import type { QuestionState } from '../../model/run-state.ts';
import type { Answers } from '../journal.ts';
import { givenAnswer } from '../read-answer.ts';
import { type Connection, type Pool, throughOutages } from './database.ts';

interface AnswerRow {
  readonly key: StepKey;
  readonly given: string;
}

/** Everything that was given as an answer of a run. */
export async function answersOf(
  rows: Pick<Connection, 'query'>,
  runId: string,
): Promise<readonly AnswerRow[]> {
  const found = await rows.query<AnswerRow>('select key, given from orchestrate.answers where run_id = $1', [
    runId,
  ]);
  return found.rows;
}

export function answerIn(given: string | undefined, question: QuestionState | undefined): Answer | undefined {
  return givenAnswer(given === undefined ? undefined : parseJsonObject(given), question);
}

export class RowAnswers implements Answers {
  readonly #pool: Pool;
  readonly #runId: string;
  readonly #given = new Map<StepKey, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(pool: Pool, runId: string) {
    this.#pool = pool;
    this.#runId = runId;
  }

  find(key: StepKey, question: QuestionState | undefined): Answer | undefined {
    return answerIn(this.#given.get(key), question);
  }

  /** Also one that came since they were last read: nobody can have meant the new question. */
  forget(key: StepKey): Promise<void> {
    return this.#inTurn(async () => {
      await throughOutages(() =>
        this.#pool.query('delete from orchestrate.answers where run_id = $1 and key = $2', [
          ...[this.#runId, key],
        ]),
      );
      this.#given.delete(key);
    });
  }

  /** Reads what was given since. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      for (const { key, given } of await answersOf(this.#pool, this.#runId)) this.#given.set(key, given);
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
