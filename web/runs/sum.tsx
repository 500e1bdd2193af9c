import type { RunsFound } from '../api.ts';
import { spendingText } from '../words.ts';

/** The current state of all runs, in one sentence. */
export function Sum({ found }: { readonly found: RunsFound }) {
  const { counts } = found;
  const today = found.today === undefined ? undefined : spendingText(found.today);
  const parts = [
    [counts['waiting'] ?? 0, 'waiting for you'],
    [counts['running'] ?? 0, 'running'],
    [counts['failed'] ?? 0, 'failed'],
    [counts['interrupted'] ?? 0, 'interrupted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0);
  return (
    <>
      {shown.length === 0 ? 'Nothing is waiting for you. ' : null}
      {shown.map(([count, word], index) => (
        <span key={word}>
          <b>{count}</b> {word}
          {index === shown.length - 1 ? '. ' : ', '}
        </span>
      ))}
      {today === undefined ? null : (
        <span>
          <b>{today}</b> today.
        </span>
      )}
    </>
  );
}
