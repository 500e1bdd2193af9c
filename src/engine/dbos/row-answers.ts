/** Answers as rows. They are read into memory while the run works, since a run asks for them in the middle of its own code. */
import type { Answer } from '../../model/event.ts';
import type { StepKey } from '../../model/ids.ts';
import { parseJsonObject } from '../../model/json.ts';
import type { QuestionState } from '../../model/run-state.ts';
import type { Answers } from '../journal.ts';
import { givenAnswer } from '../read-answer.ts';
import type { Pool } from './database.ts';

export class RowAnswers implements Answers {
  readonly #pool: Pool;
  readonly #runId: string;
  readonly #given = new Map<StepKey, string>();
  /** Answers to an earlier question with this key. */
  readonly #forgotten = new Map<StepKey, string>();

  #last: Promise<void> = Promise.resolve();

  /** Number of answers in the database when they were last read. */
  seen = 0;

  constructor(pool: Pool, runId: string) {
    this.#pool = pool;
    this.#runId = runId;
  }

  find(key: StepKey, question: QuestionState | undefined): Answer | undefined {
    const given = this.#given.get(key);
    return givenAnswer(given === undefined ? undefined : parseJsonObject(given), question);
  }

  forget(key: StepKey): void {
    const given = this.#given.get(key);
    if (given === undefined) return;
    this.#given.delete(key);
    this.#forgotten.set(key, given);
    // Until then, a new answer is refused. The next poll tries again.
    this.removeForgotten().catch(() => {});
  }

  /** Before the run waits for new ones. */
  removeForgotten(): Promise<void> {
    return this.#inTurn(() => this.#remove());
  }

  /** Reads what was given since. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#remove();
      const { rows } = await this.#pool.query<{ readonly key: StepKey; readonly given: string }>(
        'select key, given from orchestrate.answers where run_id = $1',
        [this.#runId],
      );
      this.seen = rows.length;
      for (const { key, given } of rows) if (this.#forgotten.get(key) !== given) this.#given.set(key, given);
    });
  }

  async #remove(): Promise<void> {
    for (const [key, given] of this.#forgotten) {
      const { rowCount } = await this.#pool.query(
        'delete from orchestrate.answers where run_id = $1 and key = $2 and given = $3',
        [...[this.#runId, key, given]],
      );
      this.#forgotten.delete(key);
      this.seen -= rowCount ?? 0;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
