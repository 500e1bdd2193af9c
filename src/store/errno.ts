/** Node's own limits for reading a file at once, treated like the system's. */
const TOO_LARGE: readonly unknown[] = ['ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'];

/** The system's code for a failed file operation (`ENOENT`, `ENOSPC`, …). Anything else is a bug and is rethrown. */
export function errnoOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (TOO_LARGE.includes(code)) return 'EFBIG';
  if (typeof code === 'string' && /^E(?!RR_)[A-Z0-9]+$/.test(code)) return code;
  throw cause;
}

/** The error that the system would throw, for operations refused by this program itself. */
export function refusal(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}
