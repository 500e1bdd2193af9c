/** The agent's report of its progress: `.status.json`, or `TODO.md` if there is none. */
import * as v from 'valibot';
import { defined } from '../../model/defined.ts';
import { type JsonValue, parseJson, whyNotRead } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { canonicalJson } from '../../store/digest.ts';
import { plainData } from '../../store/plain-data.ts';

const count = v.pipe(v.number(), v.minValue(0));
const lenient = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.fallback(v.optional(schema), undefined as never);

/** Only `complete` must be valid; an invalid optional field does not make the rest unreadable. */
const shape = v.looseObject({
  complete: v.boolean('`complete` must be true or false'),
  progress: lenient(v.looseObject({ completed: count, total: count })),
  worked: lenient(v.boolean()),
  summary: lenient(v.string()),
  lastUpdated: lenient(v.string()),
  phase: lenient(v.string()),
  blockers: lenient(v.array(v.string())),
  notes: lenient(v.string()),
  nextSteps: lenient(v.union([v.string(), v.array(v.string())])),
  abort: lenient(v.looseObject({ reason: v.string() })),
});

export type Status = v.InferOutput<typeof shape>;

export function parseStatus(text: string): Result<Status, string> {
  let value: JsonValue;
  try {
    value = plainData(parseJson(text.replace(/^\uFEFF/, '')));
  } catch (cause) {
    return error(`it is ${whyNotRead(cause)}`);
  }
  const parsed = v.safeParse(shape, value);
  if (parsed.success) return ok(parsed.output);
  return error(parsed.issues.map((issue) => issue.message).join('; '));
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
