declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `YYYYMMDDTHHMMSSZ-<6 chars>`; the only form of folder names under `.orchestrate/runs`. */
export type RunId = Branded<'RunId'>;

/**
 * The position of a durable call in its program: path segments joined by `/`, a later visit marked `#2`, and calls that belong to a step
 * but are not the step itself marked `@`. `Build`, `Loop/0/Compile`, `Fix#3`, `IMPL-1.2/implement`, `Build@expect`.
 */
export type StepKey = Branded<'StepKey'>;

const RUN_ID = /^\d{8}T\d{6}Z-[a-z0-9]{6}$/;
const KEY_SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.:-]*(?:#[1-9]\d*)?(?:@[a-z0-9-]+)?$/;
/** Far more than any hand-written nesting needs. */
const LONGEST_KEY = 1 << 15;
const SAFE_FIRST = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';
const SAFE = `${SAFE_FIRST}.-`;
const LONGEST_NAME = 100;
const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function parseRunId(text: string): RunId | undefined {
  return RUN_ID.test(text) ? (text as RunId) : undefined;
}

/**
 * `random` has at least four bytes; the caller owns clock and randomness. The tail starts with the millisecond in base 36, so that
 * ids sorted as text are in start order, and `last` is right even for two runs in one second.
 */
export function createRunId(startedAt: Date, random: Uint8Array): RunId {
  let tail = startedAt.getUTCMilliseconds().toString(36).padStart(2, '0');
  for (const byte of random.subarray(0, 4)) tail += ID_ALPHABET[byte % ID_ALPHABET.length];
  return `${compactTimestamp(startedAt)}-${tail}` as RunId;
}

/** The earliest time whose ids sort after this one. */
export function timeAfter(runId: RunId): Date {
  const [day, time] = [runId.slice(0, 8), runId.slice(9, 15)];
  const seconds = `${day.replace(/(\d{4})(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
  // The id of another program may contain anything in place of the milliseconds.
  const ms = Math.min(999, Number.parseInt(runId.slice(-6, -4), 36));
  return new Date(Date.parse(seconds) + ms + 1);
}

/** `20260131T235959Z`: the form of `run.timestamp_utc` and of the first part of a run id. */
export function compactTimestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** When the run started, according to its id. */
export function timestampOf(runId: RunId): string {
  return runId.slice(0, runId.indexOf('-'));
}

function parseStepKey(text: string): StepKey | undefined {
  return text.length <= LONGEST_KEY && text.split('/').every((segment) => KEY_SEGMENT.test(segment))
    ? (text as StepKey)
    : undefined;
}

/** For keys the program builds itself; a malformed one is a bug. */
export function stepKey(...segments: readonly (string | number)[]): StepKey {
  const key = parseStepKey(segments.join('/'));
  if (key === undefined) throw new Error(`malformed step key \`${segments.join('/')}\``);
  return key;
}

/** A key, or the number of an item, inside another key. Both are valid, so only the length is checked. */
export function insideKey(outer: string, inner: StepKey | number): StepKey {
  const whole = `${outer}/${inner}`;
  if (whole.length > LONGEST_KEY) throw new Error(`malformed step key \`${whole}\``);
  return whole as StepKey;
}

/** `Loop/0/Fix#2@record` → `Loop/0/Fix#2`: the step that a side key belongs to. */
export function ownerOf(key: StepKey): StepKey {
  // Most keys have none, and looking from the start is several times faster.
  return key.includes('@') ? (key.slice(0, key.lastIndexOf('@')) as StepKey) : key;
}

/** `Loop/3/item@done` → `Loop`: the loop that a note about one of its items belongs to. */
export function loopOf(key: StepKey): StepKey {
  const owner = ownerOf(key);
  const item = owner.lastIndexOf('/');
  return owner.slice(0, Math.max(0, owner.lastIndexOf('/', item - 1))) as StepKey;
}

/** `Build` → `Build@expect`. */
export function sideKey(key: StepKey, side: string): StepKey {
  return `${key}@${side}` as StepKey;
}

/**
 * Names that may become one path segment: queue agents, workspaces, sessions. Without a regular expression: compiling one
 * takes longer than anything else in reading a small document.
 */
export function isSafeName(text: string): boolean {
  if (text === '' || text.length > LONGEST_NAME || text.includes('..')) return false;
  for (const char of text) if (!SAFE.includes(char)) return false;
  return SAFE_FIRST.includes(text.charAt(0));
}

/** The name of a step without its path and visit: `Loop/3/Fix#2` → `Fix`. */
export function stepNameIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/, '');
}
