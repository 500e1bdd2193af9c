import { OLDEST_GIT } from '../../git/three-way.ts';
import { findOwnWork, findStaleWork } from '../runs/own-worktrees.ts';
import type { Site } from '../site.ts';
import { createSiteGit } from '../site-git.ts';
import type { Finding } from './finding.ts';

/** Whether git can isolate work, and what removed runs have left in it. */
export async function checkGit(site: Site): Promise<readonly Finding[]> {
  const asked = await createSiteGit(site, site.workspace)(['--version']);
  const [, major, minor] = /(\d{1,9})\.(\d{1,9})/.exec(asked.stdout) ?? [];
  if (asked.exitCode !== 0 || major === undefined || minor === undefined)
    return [{ area: 'program', level: 'note', message: 'git not found: `isolate` and `--worktree` need it' }];
  const version = `git ${major}.${minor}`;
  const isOld = Number(major) * 1000 + Number(minor) < OLDEST_GIT.major * 1000 + OLDEST_GIT.minor;
  const oldest = `${OLDEST_GIT.major}.${OLDEST_GIT.minor}`;
  return [
    isOld
      ? {
          area: 'program',
          level: 'warning',
          message: `${version} is too old for \`isolate\` and \`--worktree\``,
          help: `install git ${oldest} or newer`,
        }
      : { area: 'program', level: 'ok', message: version },
    ...(await leftInGit(site)),
  ];
}

async function leftInGit(site: Site): Promise<readonly Finding[]> {
  const stale = (await findStaleWork(site)).filter(({ isTidy }) => !isTidy);
  const kept = (await findOwnWork(site)).filter(({ isTidy }) => isTidy);
  return [
    ...stale.map(
      ({ runId }): Finding => ({
        area: 'workspace',
        level: 'warning',
        message: `run ${runId} was removed, but has left worktrees in git`,
        help: '`orchestrate clean` removes them, and keeps branches with work',
      }),
    ),
    ...kept.map(
      ({ runId, stems }): Finding => ({
        area: 'workspace',
        level: 'note',
        message: `work of run ${runId} is not merged: ${stems.map((stem) => `\`orchestrate/${runId}/${stem}\``).join(', ')}`,
        help: 'merge it with `git merge`, or delete it with `git branch -D`',
      }),
    ),
  ];
}
