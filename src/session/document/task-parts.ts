/**
 * Where a task document has its members. The schema nests them in `meta`, `context` and `flow_control`; other tools write some or all of
 * them at the top level, or under another name. What is nested counts first.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { object } from './fields.ts';

export type TaskPart = 'meta' | 'context' | 'flow_control';

/** Member → other places where documents have it, in the order in which they count. */
const ELSEWHERE = {
  meta: { type: [['type']], agent: [['agent']] },
  context: {
    requirements: [['requirements']],
    focus_paths: [['focus_paths']],
    acceptance: [['acceptance'], ['acceptance_criteria'], ['convergence', 'criteria']],
    parent: [['parent']],
    depends_on: [['depends_on'], ['dependencies']],
    inherited: [['inherited']],
    shared_context: [['shared_context']],
  },
  flow_control: {
    pre_analysis: [['pre_analysis']],
    implementation_approach: [['implementation_approach'], ['implementation'], ['description']],
    target_files: [['target_files'], ['files']],
  },
} as const satisfies Record<TaskPart, Readonly<Record<string, readonly (readonly string[])[]>>>;

export type MemberOf<Part extends TaskPart> = keyof (typeof ELSEWHERE)[Part] & string;

/** The part with all its members, wherever they are; the part itself if it has them all. */
export function partOf(source: JsonObject, part: TaskPart): JsonObject {
  const own = object(source[part]);
  const places: Readonly<Record<string, readonly (readonly string[])[]>> = ELSEWHERE[part];
  let whole: JsonObject | undefined;
  for (const name of Object.keys(places)) {
    if (isGiven(own[name])) continue;
    const place = places[name]?.find((path) => isGiven(at(source, path)));
    if (place === undefined) continue;
    whole = { ...(whole ?? own), [name]: at(source, place) };
  }
  return whole ?? own;
}

/** A member, wherever it is. Reads nothing else: lists of thousands of tasks need only a few members of each. */
export function memberOf<Part extends TaskPart>(
  source: JsonObject,
  part: Part,
  member: MemberOf<Part>,
): JsonValue | undefined {
  const own = source[part];
  const nested = isJsonObject(own) ? own[member] : undefined;
  if (isGiven(nested)) return nested;
  const places: Readonly<Record<string, readonly (readonly string[])[]>> = ELSEWHERE[part];
  for (const path of places[member] ?? []) {
    const value = at(source, path);
    if (isGiven(value)) return value;
  }
  return nested;
}

/** The path of a member in the document, for messages about it; where it belongs if the document lacks it. */
export function placeOf<Part extends TaskPart>(
  source: JsonObject,
  part: Part,
  member: MemberOf<Part>,
): readonly string[] {
  const nested = [part, member];
  if (isGiven(object(source[part])[member])) return nested;
  const places: Readonly<Record<string, readonly (readonly string[])[]>> = ELSEWHERE[part];
  return places[member]?.find((path) => isGiven(at(source, path))) ?? nested;
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function at(source: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = source;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}
