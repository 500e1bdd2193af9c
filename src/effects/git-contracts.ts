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

/** Lock files of others that work in the same tree: `<folder>/*\/<lock>`, but not `<folder>/<except>/<lock>`. */
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

export interface CommitFilesInput {
  /** Workspace-relative. */
  readonly cwd?: string;
  readonly message: string;
  /** Relative to `cwd`. */
  readonly files: readonly string[];
}

export interface CommitFilesOutput extends EffectOutput {
  readonly commit?: string;
}

export interface OpenWorktreeInput {
  /** Workspace-relative. */
  readonly folder: string;
  readonly branch: string;
  /** Paths of the workspace that are linked into it, unless the checkout has them. */
  readonly linked: readonly string[];
}

export interface DiscardWorktreeInput {
  readonly folder: string;
  readonly branch: string;
}

export interface MergeWorktreeInput extends DiscardWorktreeInput {
  readonly message: string;
  /** Paths that are not committed. */
  readonly except: readonly string[];
}

export interface MergeWorktreeOutput extends EffectOutput {
  readonly commit?: string;
  /** It was not merged: these files conflict. */
  readonly conflicts?: readonly string[];
}
