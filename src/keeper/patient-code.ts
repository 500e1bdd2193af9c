/**
 * Loading a workflow in code may take half a minute, and a look of the keeper must not: others are due meanwhile. So it is begun, the answer is
 * *pending*, and the look that follows its end gets it.
 */
import type { CodeAnswer, CodeCall, CodeProcesses } from '../operations/code-apart.ts';

interface Begun {
  answer?: CodeAnswer;
  /** A look that could have used the answer has begun. */
  isOffered: boolean;
}

export class PatientCode implements CodeProcesses {
  readonly #processes: CodeProcesses;
  readonly #onAnswer: () => void;
  readonly #begun = new Map<string, Begun>();

  constructor(processes: CodeProcesses, onAnswer: () => void) {
    this.#processes = processes;
    this.#onAnswer = onAnswer;
  }

  async do(call: CodeCall): Promise<CodeAnswer> {
    const key = JSON.stringify(call);
    const known = this.#begun.get(key);
    if (known?.answer !== undefined) {
      this.#begun.delete(key);
      return known.answer;
    }
    if (known === undefined) this.#begin(key, call);
    return { type: 'pending' };
  }

  /** At the beginning of a look: an answer that the last one did not ask for is about something that has changed. */
  forgetUnused(): void {
    for (const [key, begun] of this.#begun) {
      if (begun.isOffered) this.#begun.delete(key);
      else if (begun.answer !== undefined) begun.isOffered = true;
    }
  }

  close(): void {
    this.#processes.close();
  }

  #begin(key: string, call: CodeCall): void {
    const begun: Begun = { isOffered: false };
    this.#begun.set(key, begun);
    const settle = (answer: CodeAnswer): void => {
      begun.answer = answer;
      this.#onAnswer();
    };
    this.#processes
      .do(call)
      .then(settle, (cause: unknown) => settle({ type: 'ended', exitCode: 1, said: String(cause) }));
  }
}
