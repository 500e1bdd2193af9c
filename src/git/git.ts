/** Running git: the one form of a call, whoever makes it, and what its ends mean. */
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';

export interface GitEnd {
  /** 127 if git could not be started. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Git = (argv: readonly string[], options?: GitOptions) => Promise<GitEnd>;

export interface GitOptions {
  readonly env?: { readonly [name: string]: string };
  /** Absolute; default: the folder that the `Git` was made for. */
  readonly cwd?: string;
  readonly stdin?: string;
}

/** More than this is not read: the call has failed. */
export const MOST_OUTPUT = 64 * 1024 * 1024;

/** In every call: no questions, no editor, no translated messages, no lock taken only to save time. */
export const GIT_ENVIRONMENT: { readonly [name: string]: string } = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  LC_ALL: 'C',
};

const LOCAL =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|GRAFT_FILE|SHALLOW_FILE)$/;

/** Set by git if one of its hooks started us: they would redirect every call to another repository. */
export function isLocalToRepository(name: string): boolean {
  return LOCAL.test(name);
}

/** What git printed, or why it failed; `doing` completes "git failed to …". */
export async function printed(
  git: Git,
  argv: readonly string[],
  { doing, ...options }: GitOptions & { readonly doing: string },
): Promise<Result<string, Failure>> {
  const end = await git(argv, options);
  return end.exitCode === 0 ? ok(end.stdout) : error(gitFailure(doing, end));
}

/** A git that was killed, or the power, leaves a lock that no one can tell from one in use. */
const LOCKED = /Unable to create '([^']+\.lock)': File exists/;

export function gitFailure(doing: string, end: GitEnd): Failure {
  const lock = LOCKED.exec(end.stderr)?.[1];
  if (lock !== undefined)
    return failedGit(
      `failed to ${doing}: \`${lock}\` exists; if no other git is running, remove it and resume`,
    );
  const lines = end.stderr.trim().split('\n');
  // Advice, or what it leads to, may follow the error.
  const line =
    lines.findLast((each) => each.startsWith('fatal: ')) ??
    lines.find((each) => /^(?:remote: )?error: /.test(each)) ??
    lines.at(-1) ??
    '';
  return failedGit(`failed to ${doing}: ${line === '' ? `exit code ${end.exitCode}` : line.trim()}`);
}

/** `git ` and what went wrong. */
export function failedGit(what: string): Failure {
  return { type: 'invalid-output', reason: 'invalid', message: `git ${what}` };
}

/** 1: some paths were skipped, such as ignored ones, and the rest was added. */
export function wasAdded(end: GitEnd): boolean {
  return end.exitCode <= 1;
}

export function splitZero(text: string): readonly string[] {
  return text.split('\0').filter((part) => part !== '');
}
