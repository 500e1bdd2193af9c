/**
 * Takes the project back to its state after an iteration: what later iterations changed is undone, one by one, and nothing else. What people
 * and other loops changed meanwhile stays; if both changed the same lines, nothing is done.
 *
 * V1 That it was begun is noted before it decides, and what it decides is recorded before the first byte changes (B1).
 * V2 After a kill, the next rollback first finishes what was decided; until then the loop does not run.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { type BringInput, bringIn } from '../../../git/bring-in.ts';
import { inTurn } from '../../../git/in-turn.ts';
import { openRepository, type Repository } from '../../../git/repository.ts';
import type { Change } from '../../../git/three-way.ts';
import { type Metadata, parseMetadata } from '../../../iterate/workspace/metadata.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { defined } from '../../../model/defined.ts';
import type { Failure } from '../../../model/failure.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { replaceFile } from '../../../store/atomic-write.ts';
import { updateDocument } from '../../../store/document.ts';
import { keepAside } from '../../../store/keep-aside.ts';
import { runPathsIn } from '../../../store/layout.ts';
import { makeFolder } from '../../../store/make-folder.ts';
import { removeFile } from '../../../store/remove-file.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { createSiteGit } from '../../site-git.ts';
import { type OpenedWorkspace, openLoop } from '../site/find-loop.ts';
import type { OfLoop } from '../site/loops.ts';
import { takeWorkspace } from '../site/take-workspace.ts';
import { type FoundTrees, findTrees, treeAfter } from './find-trees.ts';
import { changesBetween, composed } from './undone-changes.ts';
import { rollbackRecord, type UnfinishedRollback, unfinishedRollback } from './unfinished-rollback.ts';

export interface RollbackLoop extends OfLoop {
  /** 0: before the first. */
  readonly iteration: number;
}

export interface RolledBack {
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  readonly commit?: string;
}

export async function rollbackLoop(site: Site, asked: RollbackLoop): Promise<Result<RolledBack, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const lock = takeWorkspace(opened.value.workspace);
  if (lock.type === 'error') return lock;
  try {
    // Another rollback may have ended meanwhile.
    const now = openLoop(site, asked);
    return now.type === 'ok' ? await rollBack(site, now.value.workspace, asked.iteration) : now;
  } finally {
    lock.value.release();
  }
}

interface Going {
  readonly workspace: OpenedWorkspace;
  readonly found: FoundTrees;
  readonly repository: Repository;
}

async function rollBack(
  site: Site,
  workspace: OpenedWorkspace,
  to: number,
): Promise<Result<RolledBack, Problem>> {
  const found = findTrees(site, workspace);
  if (found.type === 'error') return found;
  const { last, rolledBackTo = last, worktree } = found.value;
  const known = treeAfter(found.value, to);
  if (known.type === 'error') return known;
  const repository = await openRepository(createSiteGit(site, join(site.workspace, worktree ?? '.')));
  if (repository.type === 'error') return error({ type: 'failure', failure: repository.error });
  const going: Going = { workspace, found: found.value, repository: repository.value };
  const begun = unfinishedRollback(site, workspace.metadata);
  if (begun !== undefined) {
    const finished = await finish(going, begun);
    if (finished.type === 'error' || begun.to === to) return finished;
  }
  return begin(going, {
    from: begun?.to ?? rolledBackTo,
    to,
    record: `rollback-${site
      .now()
      .toISOString()
      .replace(/[^0-9TZ]/g, '')}`,
  });
}

/** V1 */
async function begin(
  going: Going,
  { from, to, record }: UnfinishedRollback & { readonly from: number },
): Promise<Result<RolledBack, Problem>> {
  const { workspace, found, repository } = going;
  const steps = await changesBetween(repository.git, found, { from, to });
  if (steps.type === 'error') return steps;
  const noted = await note(workspace, (metadata) => {
    const { status, stopReason, rollback } = metadata;
    const earlier = rollback?.run === found.run.runId && rollback.from === found.last ? rollback : undefined;
    const undone = earlier?.undone ?? { status, ...defined({ stopReason }) };
    const standing = { run: found.run.runId, from: found.last, to: from, undone };
    return { ...metadata, rollback: { ...standing, begun: { to, record } } };
  });
  if (noted.type === 'error') return noted;
  const isCommitted = steps.value.some(({ commit }) => commit !== undefined);
  const message = `Roll back ${workspace.name} to iteration ${to}`;
  return carryOut(going, { to, record }, (scratch) => ({
    ...(isCommitted ? { commit: { message } } : {}),
    change: () => composed(repository, steps.value, `${scratch}.index`),
  }));
}

/** V2 */
function finish(going: Going, begun: UnfinishedRollback): Promise<Result<RolledBack, Problem>> {
  return carryOut(going, begun, () => ({
    change() {
      throw new Error('the record of the rollback is gone');
    },
  }));
}

interface Decision extends Pick<BringInput, 'commit'> {
  change(): Promise<Result<Change, Failure>>;
}

async function carryOut(
  { workspace, found, repository }: Going,
  { to, record }: UnfinishedRollback,
  decide: (scratch: string) => Decision,
): Promise<Result<RolledBack, Problem>> {
  const { merges, worktrees } = runPathsIn(found.run.paths.directory);
  makeFolder(merges);
  makeFolder(worktrees);
  const scratch = join(worktrees, `${record}.scratch`);
  const { change, ...decision } = decide(scratch);
  const input: BringInput = {
    ...{ repository, scratch, except: ['.orchestrate'], ...decision },
    record: rollbackRecord(found.run.paths.directory, record),
  };
  const brought = await inTurn(repository, new AbortController().signal, () => bringIn(input, change));
  if (brought.type === 'error')
    return error(
      brought.error.type === 'conflict'
        ? {
            type: 'rollback-conflict',
            name: workspace.name,
            to,
            files: brought.error.files,
            isBegun: fs.existsSync(input.record),
          }
        : { type: 'failure', failure: brought.error },
    );
  restoreDocuments(workspace, found, to);
  const noted = await note(workspace, (metadata) => rolledBack(metadata, found.last, to));
  if (noted.type === 'error') return noted;
  const { files, commit } = brought.value;
  return ok({ files, ...defined({ commit }) });
}

async function note(
  { paths }: OpenedWorkspace,
  change: (metadata: Metadata) => Metadata,
): Promise<Result<unknown, Problem>> {
  const noted = await updateDocument(paths.metadata, parseMetadata, change);
  return noted.type === 'ok' ? noted : error({ type: 'document-problem', problem: noted.error });
}

/** A task whose work is undone is not complete; one whose work is back is what it was. */
function rolledBack(metadata: Metadata, last: number, to: number): Metadata {
  const { rollback, stopReason: _, ...rest } = metadata;
  if (rollback === undefined) return metadata;
  const { begun: _begun, ...standing } = rollback;
  const { undone } = rollback;
  const hasEnded = undone !== undefined && undone.status !== 'in_progress';
  const changed: Metadata = { ...metadata, rollback: { ...standing, to } };
  if (!hasEnded) return changed;
  if (to !== last) return { ...rest, status: 'in_progress', rollback: { ...standing, to } };
  return { ...changed, status: undone.status, ...defined({ stopReason: undone.stopReason }) };
}

/** The agent reads what is done from these: they must not promise more than the files hold. The old ones are kept. */
function restoreDocuments({ paths }: OpenedWorkspace, { iterations }: FoundTrees, to: number): void {
  const { status, todo } = iterations.get(to) ?? {};
  for (const [path, text] of [
    [paths.status, status],
    [paths.todo, todo],
  ] as const) {
    const standing = readTextIfThere(path);
    if (text === undefined || standing === (text ?? undefined)) continue;
    if (standing !== undefined) keepAside(path);
    if (text === null) removeFile(path);
    else replaceFile(path, text, { mode: 0o644 });
  }
}
