import { replaceFile } from '../../store/atomic-write.ts';
import { runningPid } from './show.ts';
import { type IterateSite, openWorkspace, refuse } from './site/site.ts';

export function stop(site: IterateSite, name: string): void {
  const { context } = site;
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  const pid = runningPid(workspace);
  if (pid === undefined) {
    refuse(context, `Workspace is not running: ${name}`);
    return;
  }
  replaceFile(workspace.paths.stop, `${new Date().toISOString()}\n`, { mode: 0o644 });
  context.out(`✓ ${name} ends after its iteration (process ${pid})\n`);
}
