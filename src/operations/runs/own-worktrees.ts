/** Worktrees and branches of runs, found by their names in git. */
import fs from 'node:fs';
import { readRecord } from '../../git/bring-record.ts';
import { inTurn } from '../../git/in-turn.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { commitWorktree, discardWorktree, type Worktree, worktreeAt } from '../../git/worktree.ts';
import { OWN_BRANCHES, OWN_REFS, ownerOfRef } from '../../git/worktree-names.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { isInRepository } from '../check-repository.ts';
import type { Site } from '../site.ts';
import { createSiteGit } from '../site-git.ts';

export interface OwnWork {
  readonly runId: RunId;
  /** The names of its pieces of work. */
  readonly stems: readonly string[];
  /** More than branches: what only a run needs. */
  readonly isTidy: boolean;
}

/** Without a repository there are none. */
export async function findOwnWork(site: Site): Promise<readonly OwnWork[]> {
  if (!isInRepository(site)) return [];
  const listed = await createSiteGit(
    site,
    site.workspace,
  )(['for-each-ref', '--format=%(refname)', OWN_REFS, OWN_BRANCHES]);
  const found = new Map<RunId, Set<string>>();
  const untidy = new Set<RunId>();
  for (const ref of listed.stdout.split('\n')) {
    const owner = ownerOfRef(ref);
    const runId = owner === undefined ? undefined : parseRunId(owner.runId);
    if (owner === undefined || runId === undefined) continue;
    if (ref.startsWith(OWN_REFS)) untidy.add(runId);
    found.set(runId, (found.get(runId) ?? new Set()).add(owner.stem));
  }
  return [...found].map(([runId, stems]) => ({ runId, stems: [...stems], isTidy: !untidy.has(runId) }));
}

/** Work of runs whose folders are gone. */
export async function findStaleWork(site: Site): Promise<readonly OwnWork[]> {
  const all = await findOwnWork(site);
  return all.filter(({ runId }) => !fs.existsSync(runPaths(site.workspace, runId).directory));
}

/** Removes what runs without a folder have left, apart from branches with work; returns how many there were. */
export async function tidyStaleWork(site: Site): Promise<number> {
  const stale = (await findStaleWork(site)).filter(({ isTidy }) => !isTidy);
  for (const work of stale) await tidyWork(site, work);
  return stale.length;
}

/**
 * Removes what a run has in git, before its folder is removed. Work that is not merged stays on its branch, also what an interrupted
 * step had not committed; returns these branches.
 */
export async function tidyWork(
  site: Site,
  { runId, stems }: Pick<OwnWork, 'runId' | 'stems'>,
): Promise<Result<readonly string[], string>> {
  const repository = await openRepository(createSiteGit(site, site.workspace));
  if (repository.type === 'error') return error(describeFailure(repository.error));
  const branches: string[] = [];
  for (const name of stems) {
    const worktree = worktreeOf(site, repository.value, { runId, name });
    const tidied = await inTurn(repository.value, new AbortController().signal, () => tidyOne(worktree));
    if (tidied.type === 'error') return error(describeFailure(tidied.error));
    if (tidied.value) branches.push(worktree.names.branch);
  }
  return ok(branches);
}

export function worktreeOf(
  { workspace }: Site,
  home: Repository,
  { runId, name }: { readonly runId: RunId; readonly name: string },
): Worktree {
  const { worktrees, merges } = runPaths(workspace, runId);
  return worktreeAt({ home, runId, worktrees, merges, name, except: ['.orchestrate', '.workflow'] });
}

/** True if its branch stays. */
async function tidyOne(worktree: Worktree) {
  const isMerged = readRecord(worktree.record)?.state === 'done';
  if (isMerged) {
    const gone = await discardWorktree(worktree, { keep: 'nothing' });
    return gone.type === 'error' ? gone : ok(false);
  }
  const hasFolder = fs.existsSync(worktree.folder);
  const saved = hasFolder
    ? await commitWorktree(worktree, { message: `${worktree.names.branch}: unfinished` })
    : ok(undefined);
  if (saved.type === 'error') return saved;
  const isEmpty = hasFolder && saved.value?.files.length === 0;
  const gone = await discardWorktree(worktree, { keep: isEmpty ? 'nothing' : 'branch-alone' });
  return gone.type === 'error' ? gone : ok(!isEmpty);
}
