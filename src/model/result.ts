/** The result of a function that can fail in an expected way. Exceptions are for bugs. */
export type Result<Value, Problem> =
  | { readonly type: 'ok'; readonly value: Value }
  | { readonly type: 'error'; readonly error: Problem };

export function ok<Value>(value: Value): { readonly type: 'ok'; readonly value: Value } {
  return { type: 'ok', value };
}

export function error<Problem>(problem: Problem): { readonly type: 'error'; readonly error: Problem } {
  return { type: 'error', error: problem };
}
