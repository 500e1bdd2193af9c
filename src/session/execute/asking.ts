/**
 * A task that waits for an answer does not count as running: others may start meanwhile, and when it is answered it waits for a free place.
 * The scheduler learns both from branches of the pool that end when the task says so, so that their order is recorded (P2).
 */

export interface Asking {
  /** Ends when the task asks its next question (true), or has ended (false). */
  readonly asked: Promise<boolean>;
  /** Ends when that question is answered (true), or the task has ended (false). */
  readonly answered: Promise<boolean>;
  /** The scheduler lets the task continue after the answer. */
  proceed(): void;
}

/** The task's side. */
export interface Asker {
  ask<Value>(question: () => Promise<Value>): Promise<Value>;
  /** The task has ended, in whatever way. */
  end(): void;
}

/** One round for each question; the scheduler takes the rounds one after the other. */
export function createAsking(): { readonly asker: Asker; round(): Asking } {
  const rounds: Round[] = [newRound()];
  let taken = 0;
  const roundAt = (index: number): Round => {
    while (rounds.length <= index) rounds.push(newRound());
    return rounds[index] as Round;
  };
  let asking = 0;
  let isOver = false;
  return {
    asker: {
      async ask(question) {
        const round = roundAt(asking);
        asking += 1;
        round.asked.resolve(true);
        const answer = await question();
        round.answered.resolve(true);
        await round.continued.promise;
        return answer;
      },
      end() {
        isOver = true;
        for (const round of rounds) finish(round);
      },
    },
    round() {
      const round = roundAt(taken);
      taken += 1;
      if (isOver) finish(round);
      return {
        asked: round.asked.promise,
        answered: round.answered.promise,
        proceed: () => round.continued.resolve(undefined),
      };
    },
  };
}

interface Round {
  readonly asked: Gate<boolean>;
  readonly answered: Gate<boolean>;
  readonly continued: Gate<undefined>;
}

interface Gate<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
}

function newRound(): Round {
  return { asked: newGate(), answered: newGate(), continued: newGate() };
}

function newGate<Value>(): Gate<Value> {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function finish({ asked, answered, continued }: Round): void {
  asked.resolve(false);
  answered.resolve(false);
  continued.resolve(undefined);
}
