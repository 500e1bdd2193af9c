/**
 * Detects whether work was done in the workspace, by comparing two digests. With version control: the changed paths and
 * their contents, so that ignored files do not count; otherwise the size and time of every file, up to a limit.
 */
import type { Hash } from 'node:crypto';
import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Effect, EffectContext } from '../engine/durable.ts';
import { createSha256 } from '../model/sha256.ts';
import { childEnvironment, runMark } from '../process/environment.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { RunProcess } from '../process/run-process.ts';
import { orchestrateFolder } from '../store/layout.ts';
import { readPlain } from '../store/plain-file.ts';
import { isInside } from '../store/safe-path.ts';
import type { DigestTreeInput, DigestTreeOutput } from './contracts.ts';
import { isShared } from './neighbours.ts';
import { pathAt } from './site-paths.ts';

/** For a larger file, size and time represent the content. */
const CONTENT_BYTES = 1024 * 1024;
const MOST_FILES = 50_000;
const MOST_OUTPUT = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const NEVER_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export function createDigestTree(run: RunProcess): Effect<DigestTreeInput, DigestTreeOutput> {
  return async (input, context) => {
    const { workspace } = context.run;
    const left = [...input.except.map((folder) => pathAt(context.run, folder)), orchestrateFolder(workspace)];
    const counts = (path: string): boolean => !left.some((folder) => isInside(folder, path));
    const changed = await changedInGit(run, context);
    const digest =
      changed === undefined ? scan(workspace, counts) : digestOfChanges(changed, workspace, counts);
    return isShared(input.neighbours, context.run) ? { ...digest, isShared: true } : digest;
  };
}

interface GitChanges {
  readonly head: string;
  /** Entries of `git status -z`: two letters, a space and a path, relative to the top of the repository. */
  readonly entries: readonly string[];
  readonly top: string;
}

/** Undefined if there is no repository, no git, or more changes than can be read. */
async function changedInGit(run: RunProcess, context: EffectContext): Promise<GitChanges | undefined> {
  const git = async (...argv: readonly string[]): Promise<string | undefined> => {
    const end = await run({
      argv: gitArgv(argv),
      cwd: context.run.workspace,
      env: childEnvironment({
        add: { GIT_OPTIONAL_LOCKS: '0' },
        runId: context.run.runId,
        runMark: runMark(context.run),
        key: context.key,
      }),
      stdin: { type: 'none' },
      stdout: { files: [], headBytes: MOST_OUTPUT, tailBytes: 0 },
      stderr: { files: [], headBytes: 0, tailBytes: 0 },
      mask: [],
      timeoutMs: TIMEOUT_MS,
      signal: context.signal,
    });
    context.signal.throwIfAborted();
    if (end.type === 'not-started' || end.exitCode !== 0 || end.stdout.bytes > MOST_OUTPUT) return undefined;
    return end.stdout.head.toString();
  };
  const top = (await git('rev-parse', '--show-toplevel'))?.trimEnd();
  if (top === undefined) return undefined;
  const status = await git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', '.');
  if (status === undefined) return undefined;
  // A repository without a commit has no HEAD.
  const head = (await git('rev-parse', '--verify', '--quiet', 'HEAD')) ?? '';
  return { head, top, entries: status.split('\0').filter((entry) => entry !== '') };
}

function digestOfChanges(
  changes: GitChanges,
  workspace: string,
  counts: (path: string) => boolean,
): DigestTreeOutput {
  const hash = createSha256().update(changes.head);
  for (const entry of changes.entries) {
    const path = join(changes.top, entry.slice(3));
    if (!counts(path)) continue;
    hash.update(`\0${entry}\0`);
    addFile(hash, path);
  }
  hash.update(workspace);
  return { digest: hash.digest('hex'), by: 'git' };
}

function addFile(hash: Hash, path: string): void {
  try {
    const stat = fs.lstatSync(path);
    if (stat.isFile() && stat.size <= CONTENT_BYTES) hash.update(readPlain(path));
    else if (stat.isSymbolicLink()) hash.update(fs.readlinkSync(path));
    else hash.update(`${stat.size} ${stat.mtimeMs}`);
  } catch {
    hash.update('gone');
  }
}

function scan(workspace: string, counts: (path: string) => boolean): DigestTreeOutput {
  const hash = createSha256();
  let files = 0;
  const folders = [workspace];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!counts(path)) continue;
      if (entry.isDirectory()) {
        if (!NEVER_ENTERED.has(entry.name)) folders.push(path);
        continue;
      }
      files += 1;
      if (files > MOST_FILES) return { digest: hash.digest('hex'), by: 'scan', partial: true };
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      hash.update(`${relative(workspace, path).split(sep).join('/')}\0${stat?.size}\0${stat?.mtimeMs}\0`);
    }
  }
  return { digest: hash.digest('hex'), by: 'scan' };
}

/** Sorted, so that the same files give the same digest. */
function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  } catch {
    return [];
  }
}
