/** The agent's report of its progress: `.status.json`, or `TODO.md` if there is none. */
import * as v from 'valibot';
import { defined } from '../../model/defined.ts';
import { type JsonValue, parseJson, whyNotRead } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { canonicalJson } from '../../store/digest.ts';
import { plainData } from '../../store/plain-data.ts';

const count = v.pipe(v.number(), v.minValue(0));

/** Something the agent cannot continue without. With `question`, a person is asked. */
const blocker = v.union([
  v.string(),
  v.looseObject({ question: v.pipe(v.string(), v.nonEmpty()), choices: v.optional(v.array(v.string())) }),
]);

const optional = {
  progress: v.looseObject({ completed: count, total: count }),
  worked: v.boolean(),
  summary: v.string(),
  lastUpdated: v.string(),
  phase: v.string(),
  blockers: v.array(blocker),
  notes: v.string(),
  nextSteps: v.union([v.string(), v.array(v.string())]),
  abort: v.looseObject({ reason: v.string() }),
} as const;

const complete = v.boolean();
const strict = v.looseObject({ complete, ...mapped((schema) => v.optional(schema)) });
/** Only `complete` must be valid; an invalid optional field does not make the rest unreadable. */
const shape = v.looseObject({
  complete,
  ...mapped((schema) => v.fallback(v.optional(schema), undefined as never)),
});

type Optional = typeof optional;
function mapped(wrap: (schema: v.GenericSchema) => v.GenericSchema): {
  readonly [Name in keyof Optional]: v.OptionalSchema<Optional[Name], undefined>;
} {
  const entries = Object.entries(optional).map(([name, schema]) => [name, wrap(schema)]);
  return Object.fromEntries(entries);
}

export type Status = v.InferOutput<typeof shape>;
export type Blocker = v.InferOutput<typeof blocker>;

export function parseStatus(text: string): Result<Status, string> {
  const value = parsedJson(text);
  if (value.type === 'error') return value;
  const parsed = v.safeParse(shape, value.value);
  return parsed.success ? ok(parsed.output) : error(wordsFor(parsed.issues));
}

/** What is wrong with a status file, even where the rest of it can be used; undefined if nothing is. */
export function statusProblem(text: string): string | undefined {
  const value = parsedJson(text);
  if (value.type === 'error') return value.error;
  const parsed = v.safeParse(strict, value.value);
  return parsed.success ? undefined : wordsFor(parsed.issues);
}

function wordsFor(issues: readonly v.BaseIssue<unknown>[]): string {
  const words = issues.map((issue) => {
    const path = v.getDotPath(issue);
    if (path === null) return 'it is not an object';
    return path === 'complete' ? '`complete` must be true or false' : `\`${path}\` has the wrong type`;
  });
  return [...new Set(words)].join('; ');
}

function parsedJson(text: string): Result<JsonValue, string> {
  try {
    return ok(plainData(parseJson(text.replace(/^\uFEFF/, ''))));
  } catch (cause) {
    return error(`it is ${whyNotRead(cause)}`);
  }
}

/** Items left, if the status says. */
export function remainingIn(status: Status): number | undefined {
  if (status.progress === undefined) return undefined;
  return Math.max(0, Math.round(status.progress.total - status.progress.completed));
}

/** Everything except the timestamp. */
export function withoutTime(text: string): string | undefined {
  try {
    const value = plainData(parseJson(text.replace(/^\uFEFF/, '')));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const { lastUpdated: _lastUpdated, ...rest } = value as { readonly [key: string]: JsonValue };
    return canonicalJson(rest);
  } catch {
    return undefined;
  }
}

export interface Todo {
  readonly boxes: number;
  readonly open: number;
  /** The number left that the list itself states. */
  readonly counted?: number;
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s|$)/;
const FENCE = /^\s*(?:```|~~~)/;
const COUNT = /^\s*(?:[-*+]\s+)?\**remaining\**\s*:\**\s*(\d+)\b/i;

/** Counts the checkboxes of a Markdown list. Those in code blocks are examples. */
export function readTodo(text: string): Todo {
  let boxes = 0;
  let open = 0;
  let counted: number | undefined;
  let isCode = false;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode) continue;
    const box = BOX.exec(line);
    if (box !== null) {
      boxes += 1;
      if (box[1] === ' ') open += 1;
    }
    const said = COUNT.exec(line);
    if (said?.[1] !== undefined) counted = Number(said[1]);
  }
  return { boxes, open, ...defined({ counted }) };
}

/** Without boxes the state is unknown, so it is not complete. */
export function isTodoDone(todo: Todo): boolean {
  return todo.boxes > 0 && todo.open === 0 && (todo.counted ?? 0) === 0;
}

export function remainingInTodo(todo: Todo): number | undefined {
  return todo.counted ?? (todo.boxes > 0 ? todo.open : undefined);
}
