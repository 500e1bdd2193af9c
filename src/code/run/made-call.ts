/** A promise that knows whether anybody waits for it: `await`, `then` and `Promise.all` ask for its result. */
export class MadeCall<Value> extends Promise<Value> {
  /** Promises made from it are ordinary ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  isAwaited = false;

  // biome-ignore lint/suspicious/noThenProperty: this is a promise.
  override then<One = Value, Other = never>(
    onValue?: ((value: Value) => One | PromiseLike<One>) | null,
    onProblem?: ((problem: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    this.isAwaited = true;
    return super.then(onValue, onProblem);
  }

  /** Its failure is no unhandled rejection: not awaiting it is reported instead. */
  static of<Value>(made: Promise<Value>): MadeCall<Value> {
    const call = new MadeCall<Value>((resolve, reject) => {
      made.then(resolve, reject);
    });
    Promise.prototype.then.call(call, undefined, () => {});
    return call;
  }
}
