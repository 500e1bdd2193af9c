import { InvalidArgumentError } from 'commander';

const UNITS: { readonly [unit: string]: number } = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** `90m`, `12h`, `30d`, `4w` → milliseconds. */
export function age(text: string): number {
  const ms = ageIn(text);
  if (ms === undefined)
    throw new InvalidArgumentError('must be a number followed by m, h, d or w, such as 30d');
  return ms;
}

/** `12h` → twelve hours ago; `2026-01-31` → its start in UTC; `2026-01-31T08:00:00Z`. */
export function since(text: string): Date {
  const ms = ageIn(text);
  if (ms !== undefined) return new Date(Date.now() - ms);
  const isIso = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(
    text,
  );
  const at = isIso ? new Date(text) : undefined;
  if (at === undefined || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('must be an age such as 30m, 12h or 7d, or a date such as 2026-01-31');
  return at;
}

function ageIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}
