/** Checks a cron expression when a workflow is loaded. The library that computes times is loaded only where times are needed. */

interface CronField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Days of each month, in a leap year. */
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const SECOND: CronField = { name: 'second', from: 0, to: 59 };
const DAY: CronField = { name: 'day of the month', from: 1, to: 31 };
const MONTH: CronField = { name: 'month', from: 1, to: 12, words: MONTHS };
const FIELDS: readonly CronField[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  DAY,
  MONTH,
  { name: 'weekday', from: 0, to: 7, words: DAYS },
];

/** What is wrong with it; undefined if nothing is. */
export function cronProblem(cron: string): string | undefined {
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6)
    return `\`${cron}\` has ${parts.length} fields, but a schedule has five, or six with seconds`;
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? '';
    if (valuesOf(part, field) === undefined)
      return `\`${part}\` is not valid as ${field.name} (${field.from} to ${field.to})`;
  }
  const [days = '', months = '', weekdays = ''] = parts.slice(-3);
  if (!isAny(weekdays) || hasDay(days, months)) return undefined;
  return `\`${cron}\` never comes: there is no day \`${days}\` in ${isAny(months) ? 'any month' : `month \`${months}\``}`;
}

/** Whether one of the months is long enough for one of the days. */
function hasDay(days: string, months: string): boolean {
  const first = Math.min(...(valuesOf(days, DAY) ?? []));
  const longest = Math.max(...(valuesOf(months, MONTH) ?? []).map((month) => LENGTHS[month - 1] ?? 0));
  return first <= longest;
}

function isAny(part: string): boolean {
  return part === '*' || part === '?';
}

/** What a field allows: `*`, `*\/5`, `3`, `1-5`, `mon-fri`, `10-20/2`, and several with commas. */
function valuesOf(part: string, field: CronField): readonly number[] | undefined {
  const values: number[] = [];
  for (const item of part.split(',')) {
    const found = rangeOf(item, field);
    if (found === undefined) return undefined;
    for (let value = found.from; value <= found.to; value += found.step) values.push(value);
  }
  return values;
}

function rangeOf(
  item: string,
  field: CronField,
): { readonly from: number; readonly to: number; readonly step: number } | undefined {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d{0,3}$/.test(step))) return undefined;
  const by = Number(step ?? 1);
  if (range === '*' || (range === '?' && step === undefined)) return { ...field, step: by };
  const ends = range.split('-').map((word) => numberFor(word, field));
  const [from, to = from] = ends;
  if (from === undefined || to === undefined || from > to) return undefined;
  if (ends.includes(undefined) || ends.length > 2 || (ends.length === 1 && step !== undefined))
    return undefined;
  return { from, to, step: by };
}

function numberFor(word: string, { from, to, words }: CronField): number | undefined {
  const named = words?.indexOf(word.toLowerCase()) ?? -1;
  if (named !== -1) return named + from;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

/** Whether the machine knows the time zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
