/**
 * Work of a task that was not merged: after a conflict, a rejected review or a failure. `merge` brings it into the workspace, `discard`
 * removes it.
 *
 * The work is removed last, so that a killed `merge` can be repeated.
 */
import fs from 'node:fs';
import { inTurn } from '../../../git/in-turn.ts';
import { checkedOutIn, type Kept, keptOf, workOnBranch } from '../../../git/kept-work.ts';
import { openRepository } from '../../../git/repository.ts';
import { commitWorktree, discardWorktree, mergeWorktree, type Worktree } from '../../../git/worktree.ts';
import { defined } from '../../../model/defined.ts';
import type { Failure } from '../../../model/failure.ts';
import { parseRunId, type RunId } from '../../../model/ids.ts';
import type { KeptFile } from '../../../model/kept-file.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { commitMessage } from '../../../session/commit-message.ts';
import type { Task, TaskStatus } from '../../../session/document/task.ts';
import { findTask, loadGraph, type TaskChange } from '../../../session/sessions/tasks.ts';
import { runPaths } from '../../../store/layout.ts';
import { heldBy } from '../../../store/lock.ts';
import { isInRepository } from '../../check-repository.ts';
import type { Problem } from '../../problem.ts';
import { worktreeOf } from '../../runs/own-worktrees.ts';
import type { Site } from '../../site.ts';
import { createSiteGit } from '../../site-git.ts';
import { openUnfinished } from '../open-session.ts';
import type { GetTask } from './get-task.ts';
import { changeTask } from './update-task.ts';

export interface KeptWork {
  readonly id: string;
  readonly branch: string;
}

/** Work that can be merged or discarded now. */
export async function findKeptWork(site: Site, asked: GetTask): Promise<Result<KeptWork, Problem>> {
  const found = await locate(site, asked);
  return found.type === 'error'
    ? found
    : ok({ id: found.value.task.id, branch: found.value.worktree.names.branch });
}

export interface WorkMerged {
  readonly id: string;
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  readonly commit?: string;
  /** Completed, unless the work was not finished. */
  readonly status: TaskStatus;
  readonly kept: readonly KeptFile[];
}

export async function mergeTask(site: Site, asked: GetTask): Promise<Result<WorkMerged, Problem>> {
  const found = await locate(site, asked);
  if (found.type === 'error') return found;
  const { task, worktree, has } = found.value;
  const { id, execution } = task;
  const { branch } = worktree.names;
  if (has === 'branch') return error({ type: 'run-of-task-removed', task: id, branch });
  const words = { message: commitMessage(task) };
  const merged = await turn(worktree, async () => {
    const saved = await commitWorktree(worktree, words);
    return saved.type === 'error' ? saved : mergeWorktree(worktree, words, workOnBranch);
  });
  if (merged.type === 'error') return error(notMerged(id, branch, merged.error));
  const { files, commit } = merged.value;
  const isFinished = execution.keptBranch !== undefined;
  const changed = await changeTask(site, asked, {
    ...(isFinished ? { status: 'completed' } : {}),
    kept: defined({ commit }),
  });
  if (changed.type === 'error') return changed;
  const gone = await turn(worktree, () => discardWorktree(worktree, { keep: 'nothing' }));
  if (gone.type === 'error') return error({ type: 'failure', failure: gone.error });
  const { kept } = changed.value;
  return ok({ id, files, ...defined({ commit }), status: isFinished ? 'completed' : task.status, kept });
}

function notMerged(id: string, branch: string, failure: Failure): Problem {
  if (failure.type !== 'conflict') return { type: 'failure', failure };
  return { type: 'task-merge-conflict', task: id, branch, failure };
}

export interface WorkDiscarded extends KeptWork {
  /** A blocked task is open again. */
  readonly status: TaskStatus;
  readonly kept: readonly KeptFile[];
}

export async function discardTask(site: Site, asked: GetTask): Promise<Result<WorkDiscarded, Problem>> {
  const found = await locate(site, asked);
  if (found.type === 'error') return found;
  const { task, worktree } = found.value;
  const gone = await turn(worktree, () => discardWorktree(worktree, { keep: 'nothing' }));
  if (gone.type === 'error') return error({ type: 'failure', failure: gone.error });
  const status = task.status === 'blocked' ? 'pending' : task.status;
  const change: TaskChange = { kept: {}, ...(status === task.status ? {} : { status }) };
  const changed = await changeTask(site, asked, change);
  if (changed.type === 'error') return changed;
  return ok({ id: task.id, branch: worktree.names.branch, status, kept: changed.value.kept });
}

interface Located {
  readonly task: Task;
  readonly worktree: Worktree;
  readonly has: Exclude<Kept, 'nothing'>;
}

async function locate(site: Site, asked: GetTask): Promise<Result<Located, Problem>> {
  const session = openUnfinished(site, asked.session);
  if (session.type === 'error') return session;
  const found = findTask(loadGraph(session.value), asked.task);
  if (found.type === 'error') return found;
  const task = found.value;
  const { id } = task;
  const none: Problem = { type: 'no-unmerged-work', task: id };
  const runId = parseRunId(task.execution.runId ?? '');
  if (runId === undefined || !isInRepository(site)) return error(none);
  const busy = whyBusy(site, task, runId);
  if (busy !== undefined) return error(busy);
  const repository = await openRepository(createSiteGit(site, site.workspace));
  if (repository.type === 'error') return error({ type: 'failure', failure: repository.error });
  const worktree = worktreeOf(site, repository.value, { runId, name: id });
  const has = await keptOf(worktree);
  if (has === 'nothing') return error(none);
  const folder = await checkedOutIn(worktree);
  if (folder === undefined) return ok({ task, worktree, has });
  const { branch } = worktree.names;
  return error({ type: 'branch-checked-out', branch, folder });
}

/** A run that has not ended decides itself what happens to the work. */
function whyBusy({ workspace }: Site, { id, status }: Task, runId: RunId): Problem | undefined {
  const { lock, directory } = runPaths(workspace, runId);
  if (heldBy(lock) !== undefined) return { type: 'run-of-task-running', runId };
  if (status !== 'active' || !fs.existsSync(directory)) return undefined;
  return { type: 'task-not-finished', task: id, runId };
}

function turn<Value>({ home }: Worktree, action: () => Promise<Result<Value, Failure>>) {
  return inTurn(home, new AbortController().signal, action);
}
