/**
 * The files of a run's own folder – logs, prompts, responses, diffs – from the hub, for a machine that has not carried the run out: a command
 * that shows it, or a host that takes it over.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { uniqueHex } from '../../model/unique.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { type Git, gitFailure } from '../git.ts';
import { inTurn } from '../in-turn.ts';
import { writePlainFiles } from './file-trees.ts';
import { fetchMatching, type Hub, localCopy } from './hub.ts';
import { callRefs, executionOf, filesRef } from './hub-refs.ts';

export interface FetchInput {
  /** The hub. */
  readonly address: string;
  readonly runId: string;
  /** Absolute: the folder of the run on this machine, which may not exist yet. Files of the same names are replaced; others stay. */
  readonly folder: string;
  /** Absolute: where this machine keeps its copy of the hub, which may not exist yet. Removing it loses nothing. */
  readonly cache: string;
  /** Makes a git that runs in a folder. */
  readonly gitIn: (folder: string) => Git;
}

/** Returns the paths of the files that were written, relative to the folder; none if the hub has nothing of the run. */
export async function fetchRunFiles(input: FetchInput): Promise<Result<readonly string[], Failure>> {
  const { address, cache, gitIn } = input;
  makeFolder(cache);
  const commonDir = join(realPath(cache), 'repository.git');
  if (!fs.existsSync(join(commonDir, 'HEAD'))) {
    const made = await gitIn(cache)(['init', '--quiet', '--bare', '--', commonDir]);
    if (made.exitCode !== 0) return error(gitFailure('create a repository', made));
  }
  return bringRunFiles({ git: gitIn(commonDir), address, commonDir }, input);
}

const { signal: NEVER } = new AbortController();

/** With a repository that is there. */
export async function bringRunFiles(
  hub: Hub & { readonly commonDir: string },
  {
    runId,
    folder,
    isMissing = false,
  }: {
    readonly runId: string;
    readonly folder: string;
    /** Only files that the folder does not have. */
    readonly isMissing?: boolean;
  },
): Promise<Result<readonly string[], Failure>> {
  const { git } = hub;
  const patterns = [`${filesRef(runId)}*`, `${callRefs(runId)}*/files`];
  const fetched = await inTurn(hub, NEVER, () => fetchMatching(hub, patterns));
  if (fetched.type === 'error') return fetched;
  const listed = await git([
    ...['for-each-ref', '--format=%(refname) %(objectname)'],
    ...[localCopy(filesRef(runId)), localCopy(callRefs(runId))],
  ]);
  if (listed.exitCode !== 0) return error(gitFailure('list refs', listed));
  const commits = latestFiles(listed.stdout, runId);
  makeFolder(folder, 0o700);
  const scratch = join(hub.commonDir, `run-files-${uniqueHex(8)}`);
  const written = await writePlainFiles(hub, commits, { folder: realPath(folder), scratch, isMissing });
  return written.type === 'error' ? written : ok(written.value.toSorted());
}

/** Those of the run, then those of its calls: of each call the last execution. */
function latestFiles(listed: string, runId: string): readonly string[] {
  const ofRun: string[] = [];
  const ofCalls = new Map<string, { readonly nth: number; readonly commit: string }>();
  for (const line of listed.split('\n')) {
    const [ref = '', commit = ''] = line.split(' ');
    if (ref === localCopy(filesRef(runId))) ofRun.push(commit);
    const execution = executionOf(ref);
    if (execution?.what !== 'files') continue;
    const known = ofCalls.get(execution.call);
    if (known === undefined || known.nth < execution.nth)
      ofCalls.set(execution.call, { nth: execution.nth, commit });
  }
  return [...ofRun, ...[...ofCalls.values()].map(({ commit }) => commit)];
}
