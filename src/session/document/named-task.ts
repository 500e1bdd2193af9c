import type { JsonObject } from '../../model/json.ts';
import { isSameTask, parseTaskId } from '../ids.ts';
import { taskIdOfFile } from '../layout.ts';

/**
 * A document without an id has that of its file's name; so has one whose id is another form of it, such as `IMPL-001.5` in
 * `IMPL-001.5-review.json`.
 */
export function withId(source: JsonObject, name: string): JsonObject {
  const { id } = source;
  if (typeof id === 'string' && name === `${id}.json`) return source;
  const named = taskIdOfFile(name);
  if (named === undefined) return source;
  if (id === undefined) return { id: named, ...source };
  const own = parseTaskId(String(id));
  return own !== undefined && isSameTask(own, named) ? { ...source, id: named } : source;
}
