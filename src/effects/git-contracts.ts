/** The effects that work with git: snapshots, commits, worktrees. */
import type { EffectOutput } from '../model/record.ts';

export interface SnapshotTreeInput {
  /** Workspace-relative. */
  readonly cwd?: string;
  /** An earlier snapshot; without it nothing is compared. */
  readonly since?: string;
  /** Paths, relative to the top of the repository, to ignore. */
  readonly except: readonly string[];
  readonly neighbours?: Neighbours;
}

/** Lock files of others that work in the same tree: `<folder>/*\/<lock>`, but not `<folder>/<except>/<lock>`. The folder is relative to the workspace. */
export interface Neighbours {
  readonly folder: string;
  readonly lock: string;
  readonly except: string;
}

export interface ChangedFile {
  /** Relative to `cwd`. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

export interface SnapshotTreeOutput extends EffectOutput {
  /** Omitted without version control. */
  readonly tree?: string;
  readonly files?: readonly ChangedFile[];
  /** Others are at work in the same tree, so a change may be theirs. */
  readonly isShared?: boolean;
}

/** Who a commit is by and what it says. */
export interface CommitWords {
  readonly message: string;
  /** `Name <mail@example.com>`; default: the user of git. */
  readonly author?: string;
}

/**
 * One commit on the current branch with what changed since a snapshot, without lines that the user had not committed by then. A file
 * whose changes cannot be separated from such lines is left uncommitted. Safe to repeat: a change is committed once.
 */
export interface CommitChangesInput extends CommitWords {
  /** Workspace-relative: a folder of the checkout, such as a worktree. */
  readonly cwd?: string;
  /** A tree of `snapshot-tree`, taken before the work. */
  readonly since: string;
  /** One taken after it; default: the files as they are. */
  readonly until?: string;
  /** Only these, relative to `cwd`; default: all that changed. */
  readonly files?: readonly string[];
  /** Relative to `cwd`: not committed. */
  readonly except?: readonly string[];
}

export interface CommitChangesOutput extends EffectOutput {
  /** Omitted if there was nothing to commit. */
  readonly commit?: string;
  /** Relative to the top of the repository: files that are left uncommitted. */
  readonly left?: readonly string[];
}

/** Switches a checkout to a branch, which is made if it does not exist. */
export interface SwitchBranchInput {
  /** Workspace-relative: a folder of the checkout, such as a worktree. */
  readonly cwd?: string;
  readonly branch: string;
}

/** Names one worktree of a run; the same in all calls for it. */
export interface WorktreeInput {
  /** The key of the step or the id of the task that works in it. */
  readonly name: string;
  /** Relative to the workspace, from which it starts and to which it returns: neither taken along nor brought back. `.orchestrate` never is. */
  readonly except?: readonly string[];
}

/** Makes the folder with the files of the workspace as they are, or returns to one that was made before. */
export interface OpenWorktreeInput extends WorktreeInput {
  /** Patterns of ignored files to copy into it. */
  readonly include?: readonly string[];
  /** The command that will prepare the folder: where each call gets a checkout of its own, it prepares those. */
  readonly setup?: readonly string[];
  /** Paths of the workspace that are linked into it, unless it has them. */
  readonly linked?: readonly string[];
}

export interface OpenWorktreeOutput extends EffectOutput {
  /** Workspace-relative: corresponds to the workspace. */
  readonly folder?: string;
  /** The same, relative to the run's folder (`StepOptions.folder`). */
  readonly inRun?: string;
  readonly branch?: string;
  /** The commit it started with. */
  readonly base?: string;
}

/** Saves what is in the folder as a commit on its branch, and the difference as a patch. */
export interface CommitWorktreeInput extends WorktreeInput, CommitWords {}

export interface CommitWorktreeOutput extends EffectOutput {
  readonly branch?: string;
  /** Relative to the top of the repository; empty if nothing changed, omitted if a user has removed the worktree. */
  readonly files?: readonly ChangedFile[];
  /** Relative to the run's folder; omitted if nothing changed. */
  readonly patch?: string;
  /** It was tried before: its step may be recorded as failed. */
  readonly isAgain?: boolean;
}

/** Brings the committed work into the workspace. A conflict is the failure `conflict`: nothing is changed, and the branch has the work. */
export interface MergeWorktreeInput extends WorktreeInput {
  /** As one commit on the current branch; without it only files are changed, and nothing is staged. */
  readonly commit?: CommitWords;
}

export interface MergeWorktreeOutput extends EffectOutput {
  readonly commit?: string;
  /** Relative to the top of the repository. */
  readonly files?: readonly string[];
  /** It was tried before: its step may be recorded as failed. */
  readonly isAgain?: boolean;
}

/** Removes the folder and, without `keepBranch`, everything that leads to its work. */
export interface DiscardWorktreeInput extends WorktreeInput {
  readonly keepBranch?: boolean;
}
