/**
 * Takes the project back to its state after an iteration: what later iterations changed is undone, one by one, and nothing else. What people
 * and other loops changed meanwhile stays; if both changed the same lines, nothing is done.
 */
import { join } from 'node:path';
import { bringIn } from '../../../git/bring-in.ts';
import type { Git } from '../../../git/git.ts';
import { inTurn } from '../../../git/in-turn.ts';
import { openRepository, type Repository } from '../../../git/repository.ts';
import { type Change, carryOver } from '../../../git/three-way.ts';
import { clearIndex, treeOfFiles } from '../../../git/trees.ts';
import { parseMetadata } from '../../../iterate/workspace/metadata.ts';
import { problemText } from '../../../iterate/workspace/problem-text.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { describeFailure } from '../../../model/describe-failure.ts';
import type { Failure } from '../../../model/failure.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { replaceFile } from '../../../store/atomic-write.ts';
import { updateDocument } from '../../../store/document.ts';
import { keepAside } from '../../../store/keep-aside.ts';
import { runPathsIn } from '../../../store/layout.ts';
import { makeFolder } from '../../../store/make-folder.ts';
import { type Problem, type Refused, refused } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { createSiteGit } from '../../site-git.ts';
import { type OpenedWorkspace, openLoop } from '../site/find-loop.ts';
import type { OfLoop } from '../site/loops.ts';
import { takeWorkspace } from '../site/take-workspace.ts';
import { type FoundTrees, findTrees, treeAfter } from './find-trees.ts';

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
    return await rollBack(site, opened.value.workspace, asked.iteration);
  } finally {
    lock.value.release();
  }
}

async function rollBack(
  site: Site,
  workspace: OpenedWorkspace,
  to: number,
): Promise<Result<RolledBack, Problem>> {
  const found = findTrees(site, workspace);
  if (found.type === 'error') return found;
  const { last, rolledBackTo = last, worktree, run } = found.value;
  const known = treeAfter(found.value, to);
  if (known.type === 'error') return known;
  const repository = await openRepository(createSiteGit(site, join(site.workspace, worktree ?? '.')));
  if (repository.type === 'error') return error(refused('failed', describeFailure(repository.error)));
  const { merges, worktrees } = runPathsIn(run.paths.directory);
  makeFolder(merges);
  const name = `rollback-${site.now().toISOString().replace(/\W/g, '')}`;
  const steps = await changesBetween(repository.value.git, found.value, { from: rolledBackTo, to });
  if (steps.type === 'error') return steps;
  const isCommitted = steps.value.some(({ commit }) => commit !== undefined);
  const message = `Roll back ${workspace.name} to iteration ${to}`;
  const input = {
    repository: repository.value,
    record: join(merges, `${name}.json`),
    scratch: join(worktrees, `${name}.scratch`),
    except: ['.orchestrate'],
    ...(isCommitted ? { commit: { message } } : {}),
  };
  makeFolder(worktrees);
  const brought = await inTurn(repository.value, new AbortController().signal, () =>
    bringIn(input, () => composed(repository.value, steps.value, `${input.scratch}.index`)),
  );
  if (brought.type === 'error')
    return error(
      brought.error.type === 'conflict'
        ? refused(
            'conflict',
            `cannot roll back: these files were changed since, in the same lines: ${brought.error.files.join(', ')}`,
            'commit or undo your changes of them first; nothing was changed',
          )
        : refused('failed', describeFailure(brought.error)),
    );
  restoreDocuments(workspace, found.value, to);
  const noted = await updateDocument(workspace.paths.metadata, parseMetadata, (metadata) => ({
    ...metadata,
    rollback: { run: run.runId, from: last, to },
  }));
  if (noted.type === 'error') return error(refused('failed', problemText(noted.error)));
  const { files, commit } = brought.value;
  return ok({ files, ...(commit === undefined ? {} : { commit }) });
}

interface UndoneIteration extends Change {
  readonly commit?: string | undefined;
}

/** What to undo, the latest iteration first; or to do again, after an earlier rollback. */
async function changesBetween(
  git: Git,
  { iterations }: FoundTrees,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Result<readonly UndoneIteration[], Refused>> {
  const [lowest, highest] = from < to ? [from, to] : [to, from];
  const hasCommits = [...iterations.values()].some(({ commit }) => commit !== undefined);
  const changes: UndoneIteration[] = [];
  for (let number = lowest + 1; number <= highest; number += 1) {
    const { before, after, commit, isShared = false } = iterations.get(number) ?? {};
    if (before === undefined || after === undefined || before === after) continue;
    // A commit has only the loop's own changes; an iteration without one left nothing to commit.
    if (commit !== undefined) changes.push({ from: `${commit}^{tree}`, to: `${commit}^^{tree}`, commit });
    else if (isShared && !hasCommits)
      return error(
        refused(
          'conflict',
          `another loop was at work during iteration ${number}, so its changes cannot be told apart`,
          'use `--checkpoint` or `--worktree` for loops that run side by side',
        ),
      );
    else if (!hasCommits) changes.push({ from: after, to: before });
  }
  const trees: UndoneIteration[] = [];
  for (const change of changes) {
    const named = await Promise.all(
      [change.from, change.to].map((name) => git(['rev-parse', '--verify', '--quiet', name])),
    );
    const [start = '', end = ''] = named.map(({ stdout }) => stdout.trimEnd());
    if (start === '' || end === '')
      return error(
        refused(
          'failed',
          'git no longer has the trees of this run',
          'it removes what is in no commit after two weeks',
        ),
      );
    trees.push({ ...change, from: start, to: end });
  }
  return ok(from < to ? trees.map((each) => ({ ...each, from: each.to, to: each.from })) : trees.reverse());
}

/** All of them, applied to the files as they are. */
async function composed(
  repository: Repository,
  steps: readonly Change[],
  index: string,
): Promise<Result<Change, Failure>> {
  try {
    const files = await treeOfFiles(repository, { index, except: ['.orchestrate'] });
    if (files.type === 'error') return files;
    let tree = files.value;
    for (const step of steps) {
      const next = await carryOver(repository.git, step, tree);
      if (next.type === 'error') return next;
      tree = next.value;
    }
    return ok({ from: files.value, to: tree });
  } finally {
    clearIndex(index);
  }
}

/** The agent reads what is done from these: they must not promise more than the files hold. The old ones are kept. */
function restoreDocuments({ paths }: OpenedWorkspace, { iterations }: FoundTrees, to: number): void {
  const { status, todo } = iterations.get(to) ?? {};
  for (const [path, text] of [
    [paths.status, status],
    [paths.todo, todo],
  ] as const) {
    const standing = readTextIfThere(path);
    if (text === undefined || standing === text) continue;
    if (standing !== undefined) keepAside(path);
    replaceFile(path, text, { mode: 0o644 });
  }
}
