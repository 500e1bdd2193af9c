import { saveArchive } from '../../iterate/archive/archives.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { confirm } from '../confirm.ts';
import { findWorkspace, type IterateSite, refuse } from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';

export interface CleanFlags {
  readonly force?: boolean;
  readonly archive?: boolean;
}

/**
 * Nothing is removed before somebody has agreed and, unless told otherwise, an archive is whole. Its metadata need not be: a workspace that
 * nothing else can be done with can be removed.
 */
export async function clean(site: IterateSite, name: string, flags: CleanFlags): Promise<void> {
  const { context, config } = site;
  const workspace = findWorkspace(site, name);
  if (workspace === undefined) return;
  if (flags.force !== true) {
    const agreed = await confirm(
      `Remove workspace ${name}${flags.archive === false ? ' without an archive' : ''}?`,
    );
    if (agreed === undefined)
      return refuse(context, 'Nothing was removed: nobody can be asked.', 'use --force');
    if (!agreed) {
      context.err('Nothing was removed.\n');
      return;
    }
  }
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
  try {
    if (flags.archive !== false) {
      const saved = await saveArchive(
        config.folder('archiveDir'),
        { name, folder: workspace.paths.folder },
        new Date(),
      );
      if (saved.type === 'error')
        return refuse(context, `Nothing was removed: the archive could not be made: ${saved.error}`);
      context.out(`✓ Archived: ${saved.value.name}\n`);
    }
    removeFolder(workspace.paths.folder);
  } finally {
    lock.release();
  }
  context.out(`✓ Workspace removed: ${name}\n`);
}
