/** A shutdown stops processes with a signal, as a person does, shortly before the machine goes down. */
const SHUTDOWN_MS = 10 * 60_000;
const SHUTDOWN_SIGNALS: readonly string[] = ['SIGTERM', 'SIGHUP'];

export function endedByShutdown(
  { signal, endedAt }: { readonly signal: string | undefined; readonly endedAt: string | undefined },
  { bootedAt }: { readonly bootedAt: Date },
): boolean {
  const before = bootedAt.getTime() - Date.parse(endedAt ?? '');
  return before > 0 && before <= SHUTDOWN_MS && SHUTDOWN_SIGNALS.includes(signal ?? '');
}
