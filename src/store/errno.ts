/** The system's code for a refused file operation (`ENOENT`, `ENOSPC`, …). Anything else is a bug and is thrown on. */
export function errnoOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (typeof code === 'string' && /^E(?!RR_)[A-Z0-9]+$/.test(code)) return code;
  throw cause;
}
