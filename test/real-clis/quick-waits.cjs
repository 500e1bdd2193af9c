// Loaded into a CLI that runs on Node and whose own pauses before a retry take minutes: a pause of 1 to 31 s takes a hundredth of it.
const { setTimeout: real } = globalThis;
globalThis.setTimeout = Object.assign(
  (callback, ms, ...args) => real(callback, ms >= 1000 && ms <= 31_000 ? ms / 100 : ms, ...args),
  real,
);
