/** Checks a cron expression when a workflow is loaded. The library that computes times is loaded only where times are needed. */

interface CronField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const SECOND: CronField = { name: 'second', from: 0, to: 59 };
const FIELDS: readonly CronField[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, words: MONTHS },
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
    if (!part.split(',').every((each) => isItem(each, field)))
      return `\`${part}\` is not valid as ${field.name} (${field.from} to ${field.to})`;
  }
  return undefined;
}

/** `*`, `*\/5`, `3`, `1-5`, `mon-fri`, `10-20/2`. */
function isItem(item: string, field: CronField): boolean {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d{0,3}$/.test(step))) return false;
  if (range === '*' || (range === '?' && step === undefined)) return true;
  const [from, to, ...more] = range.split('-').map((word) => numberFor(word, field));
  if (from === undefined || more.length > 0) return false;
  return range.includes('-') ? to !== undefined && from <= to : step === undefined;
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
