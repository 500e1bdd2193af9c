import fs from 'node:fs';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { isJsonObject, parseJson } from '../model/json.ts';
import type { PlannedMove } from '../store/move-into-folder.ts';
import { openPlainTo, readPlainText } from '../store/plain-file.ts';
import { syncFolder, writeWhole } from '../store/write-whole.ts';

/** One line of `moves.jsonl`: a planned or completed move. */
export interface MoveRecord extends PlannedMove {
  readonly key: string;
  /** Absolute. */
  readonly from: string;
  readonly isDone: boolean;
}

/** A planned move is on the disk when this returns; a completed one need not be, because it can be derived. */
export function recordMove(path: string, record: MoveRecord): void {
  const fd = openPlainTo(path, { to: 'append' });
  try {
    writeWhole(fd, Buffer.from(`${JSON.stringify(record)}\n`));
    if (!record.isDone) {
      fs.fdatasyncSync(fd);
      // It may be a new file.
      syncFolder(dirname(path));
    }
  } finally {
    closeFile(fd);
  }
}

/** The last line about this move. Lines truncated by a crash are ignored. */
export function lastMove(
  path: string,
  move: { readonly key: string; readonly from: string },
): MoveRecord | undefined {
  if (!fs.existsSync(path)) return undefined;
  return readPlainText(path)
    .split('\n')
    .map(parseRecord)
    .findLast((record) => record?.key === move.key && record.from === move.from);
}

function parseRecord(line: string): MoveRecord | undefined {
  try {
    const value: unknown = parseJson(line);
    return isJsonObject(value) && typeof value.to === 'string' ? (value as unknown as MoveRecord) : undefined;
  } catch {
    return undefined;
  }
}
