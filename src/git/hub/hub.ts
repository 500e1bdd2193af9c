/** The repository through which the machines of a run exchange files, as seen from a repository on this machine. */
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { uptimeMs } from '../../model/uptime.ts';
import { type Git, type GitEnd, gitFailure } from '../git.ts';

export interface Hub {
  /** Runs in a repository of this machine. */
  readonly git: Git;
  /** Where the hub is. */
  readonly address: string;
  /** How long it may be out of reach; default: not at all. */
  readonly patience?: Patience;
}

export interface Patience {
  readonly ms: number;
  readonly signal: AbortSignal;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** What git and ssh say if the hub is out of reach. */
const OUT_OF_REACH =
  /could not read from remote|unable to access|connection|timed out|early eof|hung up|unable to connect|temporary failure|could not resolve/i;

/** The hub has answered: a ref is not where it was expected. Git then also reports that the connection ended. */
const REFUSED = /\[(?:remote )?rejected\]|stale info/;

/** Another git is writing there. A refusal, but one that passes; of several refs, it names those that were not locked too. */
const BUSY = /cannot lock ref|failed to update ref|unable to create '[^']*\.lock': file exists/i;

/** A lock that cannot be made at all, or a ref whose name another one occupies. */
const FORBIDDEN = /\.lock': (?!file exists|no such file)|exists; cannot create/i;

function isPassing({ exitCode, stderr }: GitEnd): boolean {
  if (exitCode === 0) return false;
  if (BUSY.test(stderr)) return !FORBIDDEN.test(stderr);
  return OUT_OF_REACH.test(stderr) && !REFUSED.test(stderr);
}

/** Calls git again while the hub is out of reach, or busy. */
async function patiently({ git, patience }: Hub, argv: readonly string[]): Promise<GitEnd> {
  const giveUpAt = uptimeMs() + (patience?.ms ?? 0);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const end = await git(argv);
    if (!isPassing(end) || patience === undefined || patience.signal.aborted || uptimeMs() >= giveUpAt)
      return end;
    await pauseUnlessAborted(pauseMs * (0.5 + Math.random()), patience.signal);
  }
}

async function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** A name, or a pattern that ends in `*`, to commits. */
export async function listRefs(
  hub: Hub,
  pattern: string,
): Promise<Result<ReadonlyMap<string, string>, Failure>> {
  const listed = await patiently(hub, ['ls-remote', '--quiet', '--', hub.address, pattern]);
  if (listed.exitCode !== 0) return error(gitFailure('reach the hub', listed));
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  return ok(
    new Map(
      lines.map((line): [string, string] => {
        const [commit = '', name = ''] = line.split('\t');
        return [name, commit];
      }),
    ),
  );
}

/** Undefined if there is no such ref. */
export async function readRef(hub: Hub, ref: string): Promise<Result<string | undefined, Failure>> {
  const listed = await listRefs(hub, ref);
  return listed.type === 'error' ? listed : ok(listed.value.get(ref));
}

/** Where a ref of the hub is kept here: apart from the refs of worktrees, whose names depend on those of steps. */
export function localCopy(ref: string): string {
  return ref.replace(/^refs\/orchestrate\//, COPIES);
}

/** The beginning of all of them. */
export const COPIES = 'refs/hub/';

const FETCH = [
  ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-gc', '--recurse-submodules=no'],
] as const;

/** Brings the commits of a ref here. Undefined if there is no such ref. */
export async function fetchRef(
  hub: Hub,
  ref: string,
  as: string = localCopy(ref),
): Promise<Result<string | undefined, Failure>> {
  const { git, address } = hub;
  const fetched = await patiently(hub, [...FETCH, '--', address, `+${ref}:${as}`]);
  if (fetched.exitCode !== 0)
    return /couldn't find remote ref/.test(fetched.stderr)
      ? ok(undefined)
      : error(gitFailure('fetch from the hub', fetched));
  const here = await git(['rev-parse', '--verify', '--quiet', `${as}^{commit}`]);
  return here.exitCode === 0 ? ok(here.stdout.trimEnd()) : error(gitFailure('fetch from the hub', here));
}

/** Brings the commits of all refs here that match one of the patterns, each of which has one `*`. */
export async function fetchMatching(hub: Hub, patterns: readonly string[]): Promise<Result<void, Failure>> {
  const fetched = await patiently(hub, [
    ...[...FETCH, '--', hub.address],
    ...patterns.map((pattern) => `+${pattern}:${localCopy(pattern)}`),
  ]);
  return fetched.exitCode === 0 ? ok(undefined) : error(gitFailure('fetch from the hub', fetched));
}

/** All refs or none. */
const PUSH = ['push', '--quiet', '--atomic', '--no-verify', '--recurse-submodules=no'] as const;

export interface RefMove {
  readonly ref: string;
  /** Undefined: there must be no such ref yet. */
  readonly from?: string;
  readonly to: string;
  /** Wherever it is. */
  readonly isForced?: boolean;
}

/**
 * Moves refs of the hub, all or none, each only if it is still where it is expected to be. False if one is somewhere else: then another process
 * has moved it. A move whose outcome was lost with the connection counts as done.
 */
export async function moveRefs(hub: Hub, moves: readonly RefMove[]): Promise<Result<boolean, Failure>> {
  const leased = moves.filter(({ isForced }) => isForced !== true);
  const pushed = await patiently(hub, [
    ...PUSH,
    ...leased.map(({ ref, from = '' }) => `--force-with-lease=${ref}:${from}`),
    ...['--', hub.address],
    ...moves.map(({ ref, to, isForced }) => `${isForced === true ? '+' : ''}${to}:${ref}`),
  ]);
  if (pushed.exitCode === 0) return ok(true);
  let isSomewhereElse = false;
  let areAllThere = true;
  for (const { ref, from, to, isForced } of moves) {
    const now = await readRef(hub, ref);
    if (now.type === 'error') return now;
    if (now.value !== to) areAllThere = false;
    if (isForced !== true && now.value !== to && now.value !== from) isSomewhereElse = true;
  }
  if (areAllThere) return ok(true);
  return isSomewhereElse ? ok(false) : error(gitFailure('push to the hub', pushed));
}

/** In each push, so that no command line becomes too long. */
const MOST_DELETED = 200;

/** Removes refs of the hub, and their copies here. Another process may be removing some of them too. */
export async function deleteRefs(hub: Hub, pattern: string): Promise<Result<void, Failure>> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const listed = await listRefs(hub, pattern);
    if (listed.type === 'error') return listed;
    const refs = [...listed.value.keys()];
    if (refs.length === 0) break;
    const some = refs.slice(0, MOST_DELETED).map((ref) => `:${ref}`);
    const pushed = await patiently(hub, [...PUSH, '--', hub.address, ...some]);
    if (pushed.exitCode !== 0 && refs.length >= before)
      return error(gitFailure('remove refs from the hub', pushed));
    if (pushed.exitCode === 0 && refs.length <= MOST_DELETED) break;
    before = refs.length;
  }
  return forgetRefs(hub.git, pattern);
}

/** Removes the copies of refs here. */
export async function forgetRefs(git: Git, pattern: string): Promise<Result<void, Failure>> {
  return removeRefs(git, localCopy(pattern).replace(/\/?\*?$/, ''));
}

/** Removes the refs of this repository below a name. */
export async function removeRefs(git: Git, name: string): Promise<Result<void, Failure>> {
  const here = await git(['for-each-ref', '--format=delete %(refname)', name]);
  if (here.exitCode !== 0) return error(gitFailure('list refs', here));
  if (here.stdout === '') return ok(undefined);
  const gone = await git(['update-ref', '--stdin'], { stdin: here.stdout });
  return gone.exitCode === 0 ? ok(undefined) : error(gitFailure('remove refs', gone));
}
