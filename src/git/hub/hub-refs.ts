/**
 * The refs of a run in the hub. Nothing else is written there.
 *
 *   refs/orchestrate/<run>/start                        the files with which it started
 *   refs/orchestrate/<run>/head                         its files now: only its host moves it
 *   refs/orchestrate/<run>/run/files                    files of its own folder: what its host wrote, and all of them when it has ended
 *   refs/orchestrate/<run>/kept/<call>                  what a call, or isolated work, left behind that could not be merged
 *   refs/orchestrate/<run>/isolated/<work>/head         the files of isolated work while it runs: only the host moves it
 *   refs/orchestrate/<run>/isolated/<work>/base         what it started with
 *   refs/orchestrate/<run>/isolated/<work>/work         what was saved of it
 *   refs/orchestrate/<run>/isolated/<work>/setup        what prepares its checkouts, as the message of a commit
 *   refs/orchestrate/<run>/call/<call>/base             what a call starts with
 *   refs/orchestrate/<run>/call/<call>/given            files of the run's own folder that it needs
 *   refs/orchestrate/<run>/call/<call>/<execution>/done    what it left behind
 *   refs/orchestrate/<run>/call/<call>/<execution>/files   its logs, prompts and responses
 *
 * A call that a worker lost is executed again by another one. Each execution has refs of its own, so that one that comes back late
 * changes nothing.
 */
import { OWN_REFS, refStem } from '../worktree-names.ts';

export function startRef(runId: string): string {
  return `${OWN_REFS}${runId}/start`;
}

export function headRef(runId: string): string {
  return `${OWN_REFS}${runId}/head`;
}

export function filesRef(runId: string): string {
  return `${OWN_REFS}${runId}/run/files`;
}

/** The beginning of the refs of all calls. */
export function callRefs(runId: string): string {
  return `${OWN_REFS}${runId}/call/`;
}

/** The beginning of the refs of work that could not be merged. */
export function keptRefs(runId: string): string {
  return `${OWN_REFS}${runId}/kept/`;
}

export function keptRef(runId: string, call: string): string {
  return `${keptRefs(runId)}${refStem(call)}`;
}

/** The beginning of the refs of isolated work. */
export function isolatedRefs(runId: string, work: string): string {
  return `${OWN_REFS}${runId}/isolated/${refStem(work)}/`;
}

export function isolatedRef(runId: string, work: string, what: 'head' | 'base' | 'work' | 'setup'): string {
  return `${isolatedRefs(runId, work)}${what}`;
}

/** The beginning of the branches of such work. */
export function keptBranches(runId: string): string {
  return `orchestrate/${runId}+`;
}

/** The branch that `pull` makes of work that could not be merged. */
export function keptBranch(runId: string, call: string): string {
  return `${keptBranches(runId)}${refStem(call)}`;
}

export function givenRef(runId: string, call: string): string {
  return `${callRefs(runId)}${refStem(call)}/given`;
}

export function baseRef(runId: string, call: string): string {
  return `${callRefs(runId)}${refStem(call)}/base`;
}

export function executionRef(
  { runId, call, execution }: { readonly runId: string; readonly call: string; readonly execution: string },
  what: 'done' | 'files',
): string {
  return `${callRefs(runId)}${refStem(call)}/of-${refStem(execution)}/${what}`;
}

/** The call and the execution that a ref belongs to. `nth`: the later one has the higher number. */
export function executionOf(
  ref: string,
): { readonly call: string; readonly nth: number; readonly what: string } | undefined {
  const [, call, nth, what] = /\/call\/([^/]+)\/of-(\d*)[^/]*\/([^/]+)$/.exec(ref) ?? [];
  return call === undefined || what === undefined ? undefined : { call, nth: Number(nth), what };
}
