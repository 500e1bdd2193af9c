/**
 * What belongs to one worktree of a run, all derived from two names: its folder, its branch, and the refs that keep its commits.
 *
 *   <run>/worktrees/<name>-<end of the run id>     the folder. Git names its own record of a worktree after the last part, so that is unique
 *   refs/heads/orchestrate/<run>/<name>            the branch: what a user looks at, merges and deletes
 *   refs/orchestrate/<run>/<name>/base             what the folder started with
 *   refs/orchestrate/<run>/<name>/work             what was in it when its work was committed
 */
import { sha256 } from '../model/sha256.ts';

export interface WorktreeNames {
  readonly folderName: string;
  readonly branch: string;
  readonly base: string;
  readonly work: string;
}

export const OWN_BRANCHES = 'refs/heads/orchestrate/';
export const OWN_REFS = 'refs/orchestrate/';

/** `name`: the key of a step or the id of a task. `branches`: the beginning of the branch. */
export function worktreeNames(
  runId: string,
  name: string,
  branches = `orchestrate/${runId}/`,
): WorktreeNames {
  const stem = refStem(name);
  return {
    folderName: `${stem}-${runId.slice(runId.lastIndexOf('-') + 1)}`,
    branch: `${branches}${stem}`,
    base: `${OWN_REFS}${runId}/${stem}/base`,
    work: `${OWN_REFS}${runId}/${stem}/work`,
  };
}

const LONGEST_STEM = 100;

/** `Loop/3/Fix#2` → `Loop.3.Fix#2`: valid as one part of a path and of a ref. Different names have different stems. */
export function refStem(name: string): string {
  const plain = name
    .replaceAll('/', '.')
    .replace(/[^A-Za-z0-9_.#@-]/g, '-')
    .replace(/\.{2,}|@\{|^[.-]|\.$|\.lock$/g, '-');
  const isExact = plain === name || (plain === name.replaceAll('/', '.') && !name.includes('.'));
  // A stem is its own stem.
  if (isExact && plain.length <= LONGEST_STEM + 9) return plain;
  return `${plain.slice(0, LONGEST_STEM)}-${sha256(name).slice(0, 8)}`;
}

/** The run and stem that a ref or branch of ours belongs to. */
export function ownerOfRef(ref: string): { readonly runId: string; readonly stem: string } | undefined {
  const found =
    /^refs\/(?:heads\/)?orchestrate\/(\d{8}T\d{6}Z-[a-z0-9]{6})\/([^/]+)(?:\/(?:base|work))?$/.exec(ref);
  const [, runId, stem] = found ?? [];
  return runId === undefined || stem === undefined ? undefined : { runId, stem };
}
