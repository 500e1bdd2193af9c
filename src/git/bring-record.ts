import type { JsonObject } from '../model/json.ts';
import { isJsonObject, parseJson } from '../model/json.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { errnoOf } from '../store/errno.ts';
import { readPlainText } from '../store/plain-file.ts';
import type { Change } from './three-way.ts';

/** What was decided for one change, before anything was touched, and later that it is done. */
export interface BringRecord {
  readonly state: 'decided' | 'done';
  /** From the top: what the change changes. */
  readonly files: readonly string[];
  /** From the top: what was left out, because it cannot be separated from uncommitted lines of the user. */
  readonly left?: readonly string[];
  /** Trees of the working tree, before and after. */
  readonly inFiles?: Change;
  /** Trees of the index. */
  readonly inIndex?: Change;
  /** Commits of the current branch; without `from` it is the first. */
  readonly head?: { readonly from?: string; readonly to: string };
}

export function readRecord(path: string): BringRecord | undefined {
  let text: string;
  try {
    text = readPlainText(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
  const value = parseJson(text);
  if (!isJsonObject(value) || !isRecord(value)) throw new Error(`\`${path}\` is not the record of a merge`);
  return value as unknown as BringRecord;
}

function isRecord(value: JsonObject): boolean {
  return (value['state'] === 'decided' || value['state'] === 'done') && Array.isArray(value['files']);
}

export function writeRecord(path: string, record: BringRecord): void {
  replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`);
}
