/**
 * Brings the files of a run from the hub into a checkout: as a branch, and with `merge` next to what the user has there.
 *
 *   refs/heads/orchestrate/<run>               the branch: what a user looks at
 *   refs/heads/orchestrate/<run>+<call>        work that could not be merged with the rest
 *   refs/orchestrate-pull/<run>/base           what was brought in before; at first, what the run started with
 *   refs/orchestrate-pull/<run>/work           the files of the run when they were last fetched
 *
 * It can be repeated while the run continues. A branch that the user has changed or checked out is left alone.
 */
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Brought } from '../bring-in.ts';
import { type Git, gitFailure } from '../git.ts';
import { checkedOutIn } from '../kept-work.ts';
import { commitNamed, type Repository, treeOf } from '../repository.ts';
import { withoutUncommitted } from '../snapshot.ts';
import { entriesBetween } from '../trees.ts';
import { mergeWorktree, type Worktree, worktreeAt } from '../worktree.ts';
import { type WorktreeNames, worktreeNames } from '../worktree-names.ts';
import { fetchRef, type Hub, listRefs, readRef } from './hub.ts';
import { headRef, keptBranch, keptRefs, startRef } from './hub-refs.ts';

export interface PullInput {
  readonly address: string;
  readonly runId: string;
  /** Absolute: for records and temporary files; it may not exist yet. */
  readonly folder: string;
  readonly merge: boolean;
}

export interface Pulled {
  readonly branch: string;
  readonly commit: string;
  /** From the top: what the run has changed since it started. */
  readonly files: readonly string[];
  /** Branches with work that could not be merged with the rest. */
  readonly kept: readonly string[];
  /** With `merge`. */
  readonly brought?: Brought;
}

export type PullEnd =
  | ({ readonly type: 'pulled' } & Pulled)
  | { readonly type: 'not-in-hub' }
  | { readonly type: 'branch-changed'; readonly branch: string }
  | { readonly type: 'branch-in-use'; readonly branch: string; readonly folder: string };

const NAME = 'pull';
export const PULL_REFS = 'refs/orchestrate-pull/';

export async function pullRun(home: Repository, input: PullInput): Promise<Result<PullEnd, Failure>> {
  const { git } = home;
  const { address, runId } = input;
  const hub = { git, address };
  const names = namesOf(runId);
  const start = await readRef(hub, startRef(runId));
  if (start.type === 'error') return start;
  const before = await commitNamed(git, names.work);
  const work = start.value === undefined ? ok(undefined) : await fetchRef(hub, headRef(runId), names.work);
  if (work.type === 'error') return work;
  if (start.value === undefined || work.value === undefined) return ok({ type: 'not-in-hub' });
  const based = (await commitNamed(git, names.base)) ?? (await setRef(git, names.base, start.value));
  if (typeof based !== 'string') return error(based);
  const worktree: Worktree = { ...placed(home, input, work.value), names };
  const range = { start: start.value, work: work.value };
  const branch = await setBranch(worktree, { ...range, before });
  if (branch.type === 'error' || branch.value.type !== 'set') return branch as Result<PullEnd, Failure>;
  const files = await entriesBetween(git, range.start, range.work);
  if (files.type === 'error') return files;
  const kept = await keptBranches(hub, runId);
  if (kept.type === 'error') return kept;
  const pulled = {
    ...({ type: 'pulled', branch: names.branch, commit: branch.value.commit } as const),
    files: files.value.map(({ path }) => path),
    kept: kept.value,
  };
  if (!input.merge) return ok(pulled);
  const brought = await mergeWorktree(worktree, undefined);
  if (brought.type === 'error') return brought;
  const moved = await setRef(git, names.base, work.value);
  return typeof moved === 'string' ? ok({ ...pulled, brought: brought.value }) : error(moved);
}

/** Those that exist stay as they are: the user may have continued on them. */
async function keptBranches(hub: Hub, runId: string): Promise<Result<readonly string[], Failure>> {
  const refs = await listRefs(hub, `${keptRefs(runId)}*`);
  if (refs.type === 'error') return refs;
  const branches: string[] = [];
  for (const ref of refs.value.keys()) {
    const branch = keptBranch(runId, ref.slice(keptRefs(runId).length));
    branches.push(branch);
    if ((await commitNamed(hub.git, `refs/heads/${branch}`)) !== undefined) continue;
    const fetched = await fetchRef(hub, ref, `refs/heads/${branch}`);
    if (fetched.type === 'error') return fetched;
  }
  return ok(branches.sort());
}

function namesOf(runId: string): WorktreeNames {
  const refs = `${PULL_REFS}${runId}`;
  const { folderName } = worktreeNames(runId, NAME);
  return { folderName, branch: `orchestrate/${runId}`, base: `${refs}/base`, work: `${refs}/work` };
}

/** Each state of the run is merged once, decided by a record of its own. */
function placed(home: Repository, { runId, folder }: PullInput, work: string): Worktree {
  const name = `${NAME}-${work.slice(0, 12)}`;
  const place = { home, runId, worktrees: folder, merges: folder, name, except: ['.orchestrate'] };
  return { ...worktreeAt(place), alsoIgnored: true };
}

type BranchEnd =
  | { readonly type: 'set'; readonly commit: string }
  | Extract<PullEnd, { readonly type: 'branch-changed' | 'branch-in-use' }>;

async function setBranch(
  worktree: Worktree,
  range: { readonly start: string; readonly work: string; readonly before: string | undefined },
): Promise<Result<BranchEnd, Failure>> {
  const { git } = worktree.home;
  const { branch } = worktree.names;
  const ref = `refs/heads/${branch}`;
  const shown = await shownCommit(git, range.start, range.work);
  if (shown.type === 'error') return shown;
  const now = await commitNamed(git, ref);
  if (now !== undefined) {
    const same = await areSame(git, now, shown.value);
    if (same) return ok({ type: 'set', commit: now });
    const folder = await checkedOutIn(worktree);
    if (folder !== undefined) return ok({ type: 'branch-in-use', branch, folder });
    const earlier = range.before === undefined ? shown : await shownCommit(git, range.start, range.before);
    if (earlier.type === 'error') return earlier;
    if (!(await areSame(git, now, earlier.value))) return ok({ type: 'branch-changed', branch });
  }
  const set = await setRef(git, ref, shown.value);
  return typeof set === 'string' ? ok({ type: 'set', commit: set }) : error(set);
}

/** The run's own commits; without the user's uncommitted changes, if it started with some and the work can be separated from them. */
async function shownCommit(git: Git, start: string, work: string): Promise<Result<string, Failure>> {
  const tree = await treeOf(git, work);
  if (tree.type === 'error') return tree;
  const as = { message: 'Work of the run' };
  return ok((await withoutUncommitted(git, { base: start, tree: tree.value, as })) ?? work);
}

/** Commits with the same files and the same parents differ at most in their time. */
async function areSame(git: Git, one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const facts = await Promise.all([one, other].map((each) => git(['log', '-1', '--format=%T %P', each])));
  const [first, second] = facts.map(({ exitCode, stdout }) => (exitCode === 0 ? stdout : undefined));
  return first !== undefined && first === second;
}

async function setRef(git: Git, ref: string, commit: string): Promise<string | Failure> {
  const set = await git(['update-ref', ref, commit]);
  return set.exitCode === 0 ? commit : gitFailure('save the branch', set);
}
