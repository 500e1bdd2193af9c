import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { ownCommit } from '../commit-tree.ts';
import { failedGit } from '../git.ts';
import type { Repository } from '../repository.ts';
import { commitOfFiles, filesAsTree } from '../snapshot.ts';
import { moveRefs } from './hub.ts';
import { headRef, startRef } from './hub-refs.ts';

export interface RunAtHub {
  readonly runId: string;
  /** The commit with which it starts. */
  readonly start: string;
  /** The folder of the run in the repository: `` or `sub/folder/`. */
  readonly prefix: string;
}

/**
 * Pushes the files of a checkout as they are – committed or not, and ignored ones that are named – as the start of a run. Files, index and
 * branch of the checkout stay as they are. Repeating it with the same files changes nothing.
 */
export async function startAtHub(
  repository: Repository,
  given: {
    readonly address: string;
    readonly runId: string;
    /** Absolute: a folder for temporary files. */
    readonly scratch: string;
    /** Relative to the folder. */
    readonly include: readonly string[];
    /** Files that are left out, likewise. */
    readonly without?: readonly string[];
  },
): Promise<Result<RunAtHub, Failure>> {
  const { git, prefix } = repository;
  const { address, runId, scratch } = given;
  makeFolder(scratch);
  const tree = await filesAsTree(repository, {
    index: join(scratch, `index.${runId}`),
    except: [`${prefix}.orchestrate`],
    include: given.include.map((pattern) => `${prefix}${pattern}`),
    without: (given.without ?? []).map((pattern) => `${prefix}${pattern}`),
  });
  if (tree.type === 'error') return tree;
  // A shallow clone has not the commits that the hub would need.
  const shallow = await git(['rev-parse', '--is-shallow-repository']);
  const start =
    shallow.stdout.trimEnd() === 'true'
      ? await ownCommit(git, tree.value, { message: `Files of run ${runId}` })
      : await commitOfFiles(git, tree.value);
  if (start.type === 'error') return start;
  const moves = [startRef(runId), headRef(runId)].map((ref) => ({ ref, to: start.value }));
  const pushed = await moveRefs({ git, address }, moves);
  if (pushed.type === 'error') return pushed;
  return pushed.value
    ? ok({ runId, start: start.value, prefix })
    : error(failedGit(`found another run \`${runId}\` in the hub`));
}
