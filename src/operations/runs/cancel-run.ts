/** Cancels a run: signals its process or, if there is none, records the end here. */
import { cancelRun as recordCancel } from '../../engine/cancel-run.ts';
import { OpenProcesses } from '../../engine/open-processes.ts';
import type { RunStatus } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runMark } from '../../process/environment.ts';
import { endLeftProcesses } from '../../process/terminate-tree.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { type Held, heldBy } from '../../store/lock.ts';
import type { Problem, ReadRunProblem } from '../problem.ts';
import type { Site } from '../site.ts';
import { isOfWorkers } from './of-workers.ts';
import type { RunWithEvents } from './read-run.ts';
import type { RunHead } from './run-head.ts';

export type RunCancelled =
  | { readonly type: 'already-ended'; readonly runId: RunId; readonly status: RunStatus }
  /** `isSignalled` is false if the process has just ended on its own. */
  | { readonly type: 'asked'; readonly runId: RunId; readonly pid: number; readonly isSignalled: boolean }
  | { readonly type: 'ended'; readonly runId: RunId }
  /** The worker that hosts it stops it. */
  | { readonly type: 'asked-workers'; readonly runId: RunId }
  /** The database of the workers has its end already. */
  | { readonly type: 'ended-there'; readonly runId: RunId };

const OVER: ReadonlySet<RunStatus> = new Set(['completed', 'cancelled', 'failed']);
const LEFTOVER_GRACE_MS = 5000;

/** No process has it: see `workflows/cancel-any-run.ts`. */
export interface Unowned {
  readonly type: 'unowned';
  readonly runId: RunId;
}

/** Signals the process of the run. */
export function askToEnd(
  site: Site,
  read: Result<RunHead, ReadRunProblem>,
): Result<RunCancelled | Unowned, Problem> {
  if (read.type === 'error') return read;
  const { runId, state, paths, started } = read.value;
  if (OVER.has(state.status)) return ok({ type: 'already-ended', runId, status: state.status });
  if (isOfWorkers(started)) return error({ type: 'run-of-workers', runId });
  const held = heldBy(paths.lock);
  if (held === undefined) return ok({ type: 'unowned', runId });
  const unreachable = whyUnreachable(runId, held);
  if (unreachable !== undefined) return error(unreachable);
  replaceFile(paths.cancelRequest, `${JSON.stringify({ at: site.now().toISOString() })}\n`, { mode: 0o600 });
  const { pid } = held.owner;
  return ok({ type: 'asked', runId, pid, isSignalled: signal(pid, 'SIGTERM') === 'sent' });
}

/** Checked before anything is written. */
function whyUnreachable(runId: RunId, held: Held): Problem | undefined {
  if (held.doubt !== undefined) return { type: 'cannot-cancel-here', runId, held };
  const { pid } = held.owner;
  if (signal(pid, 0) !== 'refused') return undefined;
  return { type: 'run-of-another-user', runId, pid };
}

export async function endUnowned(
  { workspace }: Site,
  { runId, paths, events }: RunWithEvents,
): Promise<Result<RunCancelled, Problem>> {
  const processes = new OpenProcesses();
  for (const event of events) processes.apply(event);
  await endLeftProcesses(runMark({ runId, directory: paths.directory }), {
    graceMs: LEFTOVER_GRACE_MS,
    started: processes.all,
  });
  const cancelled = await recordCancel(workspace, runId);
  if (cancelled.type === 'ok') return ok({ type: 'ended', runId });
  return error({ type: 'run-not-cancelled', runId, reason: cancelled.error });
}

/** `gone` if the process has ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals | 0): 'sent' | 'gone' | 'refused' {
  try {
    process.kill(pid, name);
    return 'sent';
  } catch (cause) {
    return errnoOf(cause) === 'EPERM' ? 'refused' : 'gone';
  }
}
