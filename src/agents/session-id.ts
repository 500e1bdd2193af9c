const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Ids come from other programs and end up in argument lists and file names: never a flag, never a path. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text) && !text.includes('..');
}
