import { resolve } from 'node:path';
import { isMap, isNode, isPair, isSeq, type Node, parseDocument } from 'yaml';
import { errnoWords } from '../../model/describe-failure.ts';
import { type JsonValue, parseJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { positionAt } from '../../model/source.ts';
import { errnoOf } from '../../store/errno.ts';
import { jsonProblem } from '../../store/locate-json-error.ts';
import { realPath } from '../../store/own-path.ts';
import { plainData } from '../../store/plain-data.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { InvalidStatus, StatusFault } from '../problem.ts';
import type { Site } from '../site.ts';
import { parseStatus, pathText, type StatusDocument } from './status-document.ts';

/** Paths in it are relative to the workspace. */
export function readStatus(
  { workspace }: Pick<Site, 'workspace'>,
  { file }: { readonly file: string },
): Result<StatusDocument, InvalidStatus> {
  const wrong = (faults: readonly StatusFault[]): Result<never, InvalidStatus> =>
    error({ type: 'invalid-status', file, faults });
  let text: string;
  try {
    text = readPlainText(realPath(resolve(workspace, file))).replace(/^\ufeff/, '');
  } catch (cause) {
    return wrong([{ message: `cannot be read: ${errnoWords(errnoOf(cause))}` }]);
  }
  let value: JsonValue;
  try {
    value = plainData(parseJson(text));
  } catch (cause) {
    const { offset, message } = jsonProblem(text, cause);
    const { line, column } = positionAt({ path: file, text }, offset);
    return wrong([{ line, column, message: `is not valid JSON: ${message}` }]);
  }
  const parsed = parseStatus(value, workspace);
  if (parsed.type === 'ok') return ok(parsed.value);
  // JSON is also YAML, and the YAML parser knows positions.
  const root = parseDocument(text, { uniqueKeys: false }).contents;
  return wrong(
    parsed.error.map(({ path, message }) => {
      const { line, column } = positionAt({ path: file, text }, offsetOf(root, path));
      return { path: pathText(path), line, column, message };
    }),
  );
}

/** Position of the member or, if it is missing, of the object it belongs to. */
function offsetOf(root: Node | null, path: readonly (string | number)[]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const part of path) {
    const pair = isMap(node)
      ? node.items.find((item) => isNode(item.key) && String(item.key) === String(part))
      : undefined;
    const next: unknown = isPair(pair) ? pair.value : isSeq(node) ? node.items[Number(part)] : undefined;
    if (!isNode(next)) break;
    node = next;
    offset = next.range?.[0] ?? offset;
  }
  return offset;
}
