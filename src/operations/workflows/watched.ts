/** The contents of the files that a workflow reads, and whether a change of one is a reason to run it again. */
import { closeFile } from '../../model/close-file.ts';
import { digestOfFile } from '../../store/digest.ts';
import { findFiles } from '../../store/glob.ts';
import { matchesPattern } from '../../store/glob-pattern.ts';
import { openInside } from '../../store/safe-path.ts';
import type { WatchedFiles } from '../../workflow/load/watched-files.ts';

/**
 * The contents at the start of a run. A file rewritten with the same contents, for example a generated prompt, does not count as
 * changed.
 */
export function contentsOf(workspace: string, watched: WatchedFiles): ReadonlyMap<string, string> {
  const found = watched.inputs.flatMap((glob) => {
    const files = findFiles(workspace, glob);
    return files.type === 'ok' ? files.value : [];
  });
  const contents = new Map<string, string>();
  for (const path of [...watched.sources, ...found]) {
    const digest = digestAt(workspace, path);
    if (digest !== undefined) contents.set(path, digest);
  }
  return contents;
}

export function digestAt(workspace: string, path: string): string | undefined {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return undefined;
  try {
    return digestOfFile(opened.value.fd);
  } catch {
    return undefined;
  } finally {
    closeFile(opened.value.fd);
  }
}

export function concerns(watched: WatchedFiles, path: string): boolean {
  if (watched.sources.includes(path)) return true;
  return (
    watched.inputs.some((glob) => matchesPattern(glob, path)) &&
    !watched.outputs.some((glob) => matchesPattern(glob, path))
  );
}
