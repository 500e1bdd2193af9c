import { isModuleFile } from '../../modules/module-file.ts';
import type { WatchedFiles } from '../../workflow/load/watched-files.ts';
import type { Site } from '../site.ts';
import { type Watched, watchedOf } from '../workflows/watched.ts';

/** For a workflow in code: its file and those it imports. */
export async function watchedFile(site: Site, watched: Watched): Promise<WatchedFiles> {
  const { file, before } = watched;
  if (!isModuleFile(file)) return watchedOf(site, watched);
  const { workspace, modules } = site;
  const loaded = await modules.load({ workspace, file });
  const sources = loaded.type === 'ok' ? loaded.value.sources.map((source) => source.file) : [file];
  return loaded.type === 'error' && before !== undefined ? before : { sources, inputs: [], outputs: [] };
}
