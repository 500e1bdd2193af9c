import { relative, resolve } from 'node:path';
import type { JsonObject } from '../../model/json.ts';
import type { WatchedFiles } from '../../workflow/load/watched-files.ts';
import type { Site } from '../site.ts';
import { loadDefinition } from './load-definition.ts';

export interface Watched {
  readonly file: string;
  /** Context from the command line. */
  readonly given: JsonObject;
  readonly before?: WatchedFiles;
}

/** While the workflow is invalid, keeps watching the files of its last valid version. */
export async function watchedFile(site: Site, { file, given, before }: Watched): Promise<WatchedFiles> {
  const loaded = await loadDefinition(site, file, { context: given });
  if (loaded.type === 'ok') return loaded.value.watched();
  const { workspace } = site;
  return before ?? { sources: [relative(workspace, resolve(workspace, file))], inputs: [], outputs: [] };
}
