/** Node's own limits for what is read at once: the system would say the same of its own. */
const TOO_LARGE: readonly unknown[] = ['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'];

/** The system's code for a refused file operation (`ENOENT`, `ENOSPC`, …). Anything else is a bug and is thrown on. */
export function errnoOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (TOO_LARGE.includes(code)) return 'EFBIG';
  if (typeof code === 'string' && /^E(?!RR_)[A-Z0-9]+$/.test(code)) return code;
  throw cause;
}

/** The error that the system would throw, for what is refused before it is asked. */
export function refusal(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}
