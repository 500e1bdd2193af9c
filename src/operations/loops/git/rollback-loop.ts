/**
 * Takes the project back to its state after an iteration: what later iterations changed is undone, and nothing else. Lines that
 * a person changed meanwhile stay; if both changed the same ones, nothing is done.
 */
import { join } from 'node:path';
import { bringIn } from '../../../git/bring-in.ts';
import { inTurn } from '../../../git/in-turn.ts';
import { openRepository } from '../../../git/repository.ts';
import { parseMetadata } from '../../../iterate/workspace/metadata.ts';
import { problemText } from '../../../iterate/workspace/problem-text.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { describeFailure } from '../../../model/describe-failure.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { replaceFile } from '../../../store/atomic-write.ts';
import { updateDocument } from '../../../store/document.ts';
import { keepAside } from '../../../store/keep-aside.ts';
import { runPathsIn } from '../../../store/layout.ts';
import { makeFolder } from '../../../store/make-folder.ts';
import { type Problem, refused } from '../../problem.ts';
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
  const { last, rolledBackTo = last, worktree, iterations, run } = found.value;
  const from = treeAfter(found.value, rolledBackTo);
  const target = treeAfter(found.value, to);
  if (from.type === 'error') return from;
  if (target.type === 'error') return target;
  const repository = await openRepository(createSiteGit(site, join(site.workspace, worktree ?? '.')));
  if (repository.type === 'error') return error(refused('failed', describeFailure(repository.error)));
  const { merges, worktrees } = runPathsIn(run.paths.directory);
  makeFolder(merges);
  const name = `rollback-${site.now().toISOString().replace(/\W/g, '')}`;
  const [lowest = 0, highest = 0] = [to, rolledBackTo].sort((x, y) => x - y);
  const isCommitted = [...iterations].some(
    ([number, trees]) => number > lowest && number <= highest && trees.isCommitted,
  );
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
    bringIn(input, async () => ok({ from: from.value, to: target.value })),
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
