/** Where `--archive-processed` writes: any file outside the processed folder that the user may write, in the workspace or not. */
import fs from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { errnoWords } from '../../model/describe-failure.ts';
import { errnoOf } from '../../store/errno.ts';
import { realPath } from '../../store/own-path.ts';
import { isInside } from '../../store/relative-path.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

/** Relative in the workspace; otherwise absolute, without links. */
export function archiveTarget(
  { workspace }: Pick<Site, 'workspace'>,
  { to }: { readonly to?: string },
): { readonly to?: string } {
  if (to === undefined) return {};
  const path = realTarget(workspace, to);
  const root = realPath(workspace);
  return { to: isInside(root, path) ? relative(root, path) : path };
}

/** Checked before anything starts: a night of work must not end with an archive that cannot be written. */
export function unarchivable(
  { workspace }: Pick<Site, 'workspace'>,
  { queue: { processedDir } }: WorkflowDefinition,
  to: string | undefined,
): Problem | undefined {
  if (to === undefined) return undefined;
  const path = realTarget(workspace, to);
  const refuse = (why: string): Problem => ({ type: 'cannot-archive-processed', to, reason: why });
  if (isInside(realPath(resolve(workspace, processedDir)), path))
    return refuse(`the archive must be outside \`${processedDir}/\``);
  const isInWorkspace = isInside(realPath(workspace), path);
  try {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return refuse('it is a folder');
    // Folders in the workspace are created.
    fs.accessSync(isInWorkspace ? existing(dirname(path)) : dirname(path), fs.constants.W_OK);
    return undefined;
  } catch (cause) {
    return refuse(`its folder cannot be written: ${errnoWords(errnoOf(cause))}`);
  }
}

/** The file itself may be a link: it is replaced, not followed. */
function realTarget(workspace: string, to: string): string {
  const path = resolve(workspace, to);
  return join(realPath(dirname(path)), basename(path));
}

function existing(folder: string): string {
  return fs.existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}
