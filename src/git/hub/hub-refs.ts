/**
 * The refs of a run in the hub. Nothing else is written there.
 *
 *   refs/orchestrate/<run>/start                        the files with which it started
 *   refs/orchestrate/<run>/head                         its files now: only its host moves it
 *   refs/orchestrate/<run>/run/files                    files of its own folder: what its host wrote, and all of them when it has ended
 *   refs/orchestrate/<run>/kept/<call>                  what a call left behind that could not be merged
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

/** The branch that `pull` makes of work that could not be merged. */
export function keptBranch(runId: string, call: string): string {
  return `orchestrate/${runId}+${refStem(call)}`;
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
