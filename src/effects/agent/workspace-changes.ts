/**
 * Finds the files an agent changed, by comparing the workspace before and after: a replay has to leave the same
 * files. Changes made meanwhile by another step are included.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { CassetteFile } from '../../agents/cassette.ts';
import { readPlain } from '../../store/plain-file.ts';

/** Path → a fingerprint of the file's state. */
export type WorkspaceState = ReadonlyMap<string, string>;

const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git', '.orchestrate']);
const LARGEST_FILE = 1024 * 1024;

/** `except`: a folder inside it to skip. Links are not followed. */
export function lookAt(workspace: string, except: string): WorkspaceState {
  const state = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of entriesOf(join(workspace, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!NOT_ENTERED.has(entry.name) && join(workspace, path) !== except) walk(path);
      } else if (entry.isFile()) {
        const stat = fs.statSync(join(workspace, path), { bigint: true, throwIfNoEntry: false });
        if (stat !== undefined) state.set(path, `${stat.ino} ${stat.size} ${stat.mtimeNs}`);
      }
    }
  };
  walk('');
  return state;
}

export interface Changes {
  readonly files: readonly CassetteFile[];
  /** Too large to record. */
  readonly leftOut: readonly string[];
}

export function changesSince(workspace: string, before: WorkspaceState, after: WorkspaceState): Changes {
  const files: CassetteFile[] = [];
  const leftOut: string[] = [];
  for (const [path, state] of after) {
    if (before.get(path) === state) continue;
    if (fs.statSync(join(workspace, path)).size > LARGEST_FILE) leftOut.push(path);
    else files.push({ path, ...contentsOf(readPlain(join(workspace, path))) });
  }
  for (const path of before.keys()) if (!after.has(path)) files.push({ path, text: null });
  return { files, leftOut };
}

function contentsOf(bytes: Buffer): { readonly text: string } | { readonly base64: string } {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

/** A folder that was removed meanwhile has no files. */
function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
