declare const brand: unique symbol;

/** `WFS-<slug>`: the only form that ever becomes a folder name under `.workflow`. */
export type SessionId = string & { readonly [brand]: 'SessionId' };
/**
 * `IMPL-N` or `IMPL-N.M`, also with leading zeros or a group (`IMPL-001`, `IMPL-A1`, `IMPL-fix-2`), another word (`impl-1`, `TEST-1.1`,
 * `TASK-001`) or a word at the end (`IMPL-001.5-review`): the only form that ever becomes a file name under `.task`.
 */
export type TaskId = string & { readonly [brand]: 'TaskId' };

const SESSION_ID = /^WFS-[A-Za-z0-9](?:[A-Za-z0-9_-]{0,78}[A-Za-z0-9])?$/;
const TASK_ID =
  /^([A-Za-z]{2,12})-([A-Za-z]{1,12}-?)?(\d{1,6})(?:\.(\d{1,6}))?(-[A-Za-z][A-Za-z0-9]{0,15}(?:-[A-Za-z0-9]{1,16}){0,2})?$/;
const SLUG_LENGTH = 50;

export function parseSessionId(text: string): SessionId | undefined {
  return SESSION_ID.test(text) ? (text as SessionId) : undefined;
}

export function parseTaskId(text: string): TaskId | undefined {
  return isTaskId(text) ? text : undefined;
}

export function isTaskId(text: string): text is TaskId {
  return TASK_ID.test(text);
}

/** `User Auth System` → `user-auth-system`; at most 50 characters, ASCII letters and digits. */
export function topicSlug(topic: string): string {
  const words = topic
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const slug = words.replace(/^-/, '').slice(0, SLUG_LENGTH).replace(/-$/, '');
  return slug === '' ? 'session' : slug;
}

/** The first is plain, the second `-002`. */
export function sessionIdFor(slug: string, number: number): SessionId {
  const suffix = number === 1 ? '' : `-${String(number).padStart(3, '0')}`;
  return `WFS-${slug.slice(0, SLUG_LENGTH - suffix.length).replace(/-$/, '')}${suffix}` as SessionId;
}

/**
 * The parts of an id: `IMPL-A01.2` has the group `A`, and the numbers 1 and 2; `TEST-3` has the group `TEST-`. A main task has 0 as its
 * second number.
 */
export interface TaskNumber {
  readonly group: string;
  readonly main: number;
  readonly sub: number;
}

export function numberOf(id: TaskId): TaskNumber {
  const [, word = '', group = '', main = 0, sub = 0] = TASK_ID.exec(id) ?? [];
  const kind = word.toUpperCase();
  return { group: kind === 'IMPL' ? group : `${kind}-${group}`, main: Number(main), sub: Number(sub) };
}

/** Everything of a main task's id before its number: `IMPL-`, `impl-`, `IMPL-A`, `TEST-`. */
export function stemOf(id: TaskId): string {
  const [, word = '', group = ''] = TASK_ID.exec(id) ?? [];
  return `${word}-${group}`;
}

/** Whether both name the same task: `IMPL-001` and `impl-1`, `IMPL-001.5` and `IMPL-001.5-review`. */
export function isSameTask(a: TaskId, b: TaskId): boolean {
  return a === b || numberText(a) === numberText(b);
}

/** The same for all forms of one id. */
export function numberText(id: TaskId): string {
  const { group, main, sub } = numberOf(id);
  return `${group}${main}.${sub}`;
}

/** Sorts by number: `IMPL-2` before `IMPL-10`, a main task before its subtasks; groups come after plain ids, by name. */
export function compareTaskIds(a: TaskId, b: TaskId): number {
  return compareNumbers(numberOf(a), numberOf(b)) || compareTexts(a, b);
}

export function compareNumbers(a: TaskNumber, b: TaskNumber): number {
  return compareTexts(a.group, b.group) || a.main - b.main || a.sub - b.sub;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `IMPL-1.2` → `IMPL-1`, by the form of the id alone. `IMPL-1.2-review` is a main task that comes after `IMPL-1`. */
export function parentIdOf(id: TaskId): TaskId | undefined {
  const dot = id.indexOf('.');
  return dot === -1 || id.includes('-', dot) ? undefined : (id.slice(0, dot) as TaskId);
}
