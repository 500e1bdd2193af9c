/** The clock a live view uses. */
export interface Clock {
  now(): number;
  /** Calls `call` every `ms`; returns a function that stops it. Does not keep the process alive. */
  every(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  every(ms, call) {
    const timer = setInterval(call, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
