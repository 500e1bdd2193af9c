const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Ids come from other programs and are used in argument lists and file names, so a flag or a path is rejected. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text) && !text.includes('..');
}
