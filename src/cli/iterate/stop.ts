import fs from 'node:fs';
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
  fs.writeFileSync(workspace.paths.stop, `${new Date().toISOString()}\n`);
  context.out(`✓ ${name} ends after its iteration (process ${pid})\n`);
}
