/** What a live view needs of time. */
export interface Clock {
  now(): number;
  /** Calls again and again; answers how to stop it. Does not keep the process alive. */
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
