/**
 * Where queues of loops are: in the configured folder, and in those that were named with `--workspaces-dir`. The latter are noted, so that
 * the keeper finds them. A note alone starts nothing: the work itself is sealed (`queue-work.ts`).
 */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { createDocument, loadDocument, updateDocument } from '../../../store/document.ts';
import { keeperPaths } from '../../../store/layout.ts';
import { makeFolder } from '../../../store/make-folder.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { type Loops, openLoops } from '../site/loops.ts';

/** The configured folder first; of the others only those that exist. */
export function placesOfQueues(site: Site): readonly { readonly loops: Loops; readonly isNamed: boolean }[] {
  const configured = openLoops(site, {});
  const noted = loadDocument(keeperPaths(site.workspace).queueFolders, parseFolders);
  const folders = noted.type === 'ok' ? noted.value.folders.filter((folder) => fs.existsSync(folder)) : [];
  return [
    ...(configured.type === 'ok' ? [{ loops: configured.value, isNamed: false }] : []),
    ...folders.flatMap((workspacesDir) => {
      const loops = openLoops(site, { settings: { workspacesDir } });
      return loops.type === 'ok' ? [{ loops: loops.value, isNamed: true }] : [];
    }),
  ];
}

export async function noteFolder(site: Site, { workspacesDir }: Loops): Promise<Result<unknown, Problem>> {
  if (placesOfQueues(site).some(({ loops }) => loops.workspacesDir === workspacesDir)) return ok(undefined);
  const path = keeperPaths(site.workspace).queueFolders;
  makeFolder(dirname(path));
  const created = await createDocument<Folders>(path, { folders: [] }, { mode: 0o600 });
  if (created.type === 'error' && created.error.type !== 'exists')
    return error({ type: 'document-problem', problem: created.error });
  const updated = await updateDocument(path, parseFolders, ({ folders }) => ({
    folders: [...new Set([...folders.filter((folder) => fs.existsSync(folder)), workspacesDir])],
  }));
  return updated.type === 'ok' ? updated : error({ type: 'document-problem', problem: updated.error });
}

interface Folders {
  readonly folders: readonly string[];
}

/** What is unreadable names no folder. */
function parseFolders(value: JsonValue): Result<Folders, readonly string[]> {
  const folders = isJsonObject(value) ? value['folders'] : undefined;
  return ok({ folders: Array.isArray(folders) ? folders.filter((each) => typeof each === 'string') : [] });
}
