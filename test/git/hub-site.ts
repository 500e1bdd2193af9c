/** Machines that exchange files through a hub: a bare repository, the checkout of a user, and clones of a host and of workers. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../../src/git/git.ts';
import { type Clone, openClone } from '../../src/git/hub/clone.ts';
import { startAtHub } from '../../src/git/hub/start-run.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import type { Result } from '../../src/model/result.ts';
import { createSiteGit } from '../../src/operations/site-git.ts';
import { temporarySite } from '../operations/site.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';

export const RUN = '20260131T000000Z-abc123';
export const SIGNAL = new AbortController().signal;

export function gitIn(folder: string): Git {
  return createSiteGit({ ...temporarySite(), environment: process.env }, folder);
}

export function must<Value>(result: Result<Value, unknown>): Value {
  if (result.type === 'error') throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** The value of a call of git in a folder. */
export function git(folder: string, ...argv: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...argv], { encoding: 'utf8' }).trimEnd();
}

export function makeHub(): string {
  const hub = join(temporaryFolder(), 'hub.git');
  execFileSync('git', ['init', '--quiet', '--bare', hub]);
  return hub;
}

/** The checkout of a user, with one commit. */
export function makeCheckout(files: { readonly [path: string]: string }): string {
  const folder = temporaryFolder();
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'user.name', 'Test');
  git(folder, 'config', 'user.email', 'test@example.com');
  writeFiles(folder, { '.gitignore': 'node_modules/\n.orchestrate/\n*.secret\n', ...files });
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'first');
  return folder;
}

export async function repositoryIn(folder: string): Promise<Repository> {
  return must(await openRepository(gitIn(folder)));
}

export async function cloneOf(hub: string): Promise<Clone> {
  return must(await openClone({ address: hub, folder: join(temporaryFolder(), 'cache'), gitIn }));
}

export async function start(folder: string, hub: string, include: readonly string[] = []) {
  const scratch = join(temporaryFolder(), 'scratch');
  return startAtHub(await repositoryIn(folder), { address: hub, runId: RUN, scratch, include });
}

export function refsIn(folder: string): readonly string[] {
  return git(folder, 'for-each-ref', '--format=%(refname)')
    .split('\n')
    .filter((ref) => ref !== '');
}

/** The contents of a file in a commit. */
export function fileIn(folder: string, commit: string, path: string): string {
  return execFileSync('git', ['-C', folder, 'show', `${commit}:${path}`], { encoding: 'utf8' });
}

/** Everything about a checkout that a run must not touch. */
export function stateOf(folder: string): unknown {
  return {
    head: git(folder, 'rev-parse', 'HEAD'),
    branch: git(folder, 'symbolic-ref', 'HEAD'),
    index: fs.readFileSync(join(folder, '.git/index')).toString('hex'),
    status: git(folder, 'status', '--porcelain', '--ignored'),
    refs: refsIn(folder),
  };
}
