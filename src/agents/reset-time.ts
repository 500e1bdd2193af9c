/**
 * Finds the end of a limit in a CLI's own error. Only such errors are read, and only formats that do not occur in prose by chance; text
 * from agents and tools never reaches this code.
 */

/** `Claude AI usage limit reached|1749924000`. */
const EPOCH = /\|(\d{10})$/;
/** `… resets at 2026-11-16T00:46:40Z`, also as a JSON member `"resets_at": 1794790000`. */
const NAMED =
  /\bresets?[ _]?at"?:? ?"?(?:(\d{10})\b|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)))/i;

export function resetTimeIn(error: string): string | undefined {
  const text = error.trimEnd();
  const named = NAMED.exec(text);
  const seconds = EPOCH.exec(text)?.[1] ?? named?.[1];
  if (seconds !== undefined) return timeAt(Number(seconds));
  return named?.[2] === undefined ? undefined : timeAt(Date.parse(named[2]) / 1000);
}

/** `undefined` for a number outside the range of dates. */
export function timeAt(seconds: number): string | undefined {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const CLOCK =
  /\b[Tt]ry again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d\d) ([AP]M)\.?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** For Codex, in the machine's time zone: `… or try again at 5:26 PM.` today, `… try again at Nov 17th, 2026 9:05 AM.` on another day. */
export function clockTimeIn(error: string, now: Date): string | undefined {
  const [, month, day, year, hour, minute, half] = CLOCK.exec(error.trimEnd()) ?? [];
  if (hour === undefined) return undefined;
  const at = new Date(now);
  if (month !== undefined) {
    if (!MONTHS.includes(month)) return undefined;
    at.setFullYear(Number(year), MONTHS.indexOf(month), Number(day));
  }
  // The time has no seconds, so wait until the minute is over.
  at.setHours((Number(hour) % 12) + (half === 'PM' ? 12 : 0), Number(minute), 59, 0);
  return at.toISOString();
}
