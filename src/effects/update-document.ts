import type { Effect } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import {
  createDocument,
  type DocumentParser,
  type DocumentProblem,
  updateDocument,
} from '../store/document.ts';
import { type PinnedPlace, pinPlace } from '../store/pin-inside.ts';
import type { DocumentChange, UpdateDocumentInput, UpdateDocumentOutput } from './contracts.ts';
import { rootAt } from './site-paths.ts';

/** Changes fields of a JSON document and leaves all others unchanged. */
export const updateDocumentEffect: Effect<UpdateDocumentInput, UpdateDocumentOutput> = async (
  input,
  { run },
) => {
  const place = pinPlace(rootAt(run, input.root), input.path, {
    operation: 'update',
    makeFolders: input.create !== undefined,
  });
  if (place.type === 'error') return { failure: place.error };
  try {
    return await update(place.value, input);
  } finally {
    place.value.folder.close();
  }
};

async function update(place: PinnedPlace, input: UpdateDocumentInput): Promise<UpdateDocumentOutput> {
  if (input.create !== undefined) {
    const created = await createDocument(place.path, input.create);
    if (created.type === 'error' && created.error.type !== 'exists')
      return { failure: failureOf(created.error, place) };
  }
  const updated = await updateDocument(place.path, parseObject, (document) =>
    applyChanges(document, input.changes),
  );
  return updated.type === 'ok' ? { document: updated.value } : { failure: failureOf(updated.error, place) };
}

const parseObject: DocumentParser<JsonObject> = (value) =>
  isJsonObject(value) ? ok(value) : error(['it is not a JSON object']);

function applyChanges(document: JsonObject, changes: readonly DocumentChange[]): JsonObject {
  let changed: JsonValue = document;
  for (const change of changes) changed = applyAt(changed, change.at, change);
  return changed as JsonObject;
}

function applyAt(value: JsonValue, at: readonly string[], change: DocumentChange): JsonValue {
  const [key, ...rest] = at;
  if (key === undefined) return applyHere(value, change);
  const copy = Object.assign(Object.create(null), isJsonObject(value) ? value : {}) as {
    [key: string]: JsonValue;
  };
  if (rest.length === 0 && change.type === 'remove') delete copy[key];
  else copy[key] = applyAt(copy[key] ?? null, rest, change);
  return copy;
}

function applyHere(value: JsonValue, change: DocumentChange): JsonValue {
  switch (change.type) {
    case 'set':
      return change.value;
    case 'add': {
      const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
      return list.some((each) => isSameJson(each, change.value)) ? list : [...list, change.value];
    }
    case 'remove':
      return value;
    default:
      return unreachable(change);
  }
}

function failureOf(problem: DocumentProblem, { path: used, real: path }: PinnedPlace): Failure {
  switch (problem.type) {
    case 'file-error':
      return { type: 'file', operation: 'update', path, code: problem.code };
    case 'missing':
      return { type: 'file', operation: 'update', path, code: 'ENOENT' };
    case 'exists':
      return { type: 'file', operation: 'create', path, code: 'EEXIST' };
    case 'held':
      return { type: 'file', operation: 'lock', path, code: 'EBUSY' };
    case 'not-json':
    case 'invalid':
      return { type: 'invalid-output', reason: 'invalid', message: problem.message.replace(used, path) };
    default:
      return unreachable(problem);
  }
}
