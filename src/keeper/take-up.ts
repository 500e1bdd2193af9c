/**
 * Decides which runs without a process are resumed, and when.
 *
 * U1 A person's word counts: a run that was cancelled, or interrupted by a person, is left alone.
 * U2 A run whose process died is resumed. If it dies again without having done anything, the pause grows, and after the last one it is left.
 * U3 A question is no reason before it is answered or has expired.
 * U4 A notification that a kill interrupted is a reason, also for a run that has ended: its process sends it and ends.
 */
import { isAnswered } from '../engine/read-answer.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import type { RunState } from '../model/run-state.ts';
import { endedByShutdown } from '../operations/runs/ended-by-shutdown.ts';
import type { RunHead } from '../operations/runs/run-head.ts';
import { isAbandoned } from '../operations/runs/seen-state.ts';
import type { KeeperRecord } from '../operations/schedules/keeper-events.ts';
import type { RunPaths } from '../store/layout.ts';

export type TakeUp =
  /** `attempt` counts from 1. */
  | (Now & { readonly attempt: number })
  | { readonly type: 'at'; readonly at: Date; readonly why: string }
  | { readonly type: 'leave'; readonly why: string }
  /** It has failed too often. */
  | { readonly type: 'give-up'; readonly why: string };

interface Now {
  readonly type: 'now';
  readonly why: string;
  /** U4: it is not resumed. */
  readonly isNoticeOnly?: true;
}

/** Before the second, third, … try that has to start from the same point. */
export const PAUSES_MS: readonly number[] = [10_000, 60_000, 5 * 60_000, 30 * 60_000];

/** A run that no process has. */
export interface IdleRun extends Pick<RunHead, 'state' | 'signal'> {
  readonly runId: RunId;
  readonly paths: RunPaths;
  /** Its workflow says that its runs are not taken up. */
  readonly isNeverKept: boolean;
  /** Its last process was killed before it had sent a notification. */
  hasDueNotices(): boolean;
}

export interface Moment {
  readonly now: Date;
  /** When the machine was started. */
  readonly bootedAt: Date;
}

export function decideTakeUp(
  run: IdleRun,
  record: Pick<KeeperRecord, 'takenUp' | 'left'>,
  moment: Moment,
): TakeUp {
  const found = reasonFor(run, moment);
  const reason: Reason =
    found.type === 'leave' && !isByPerson(run.state) && run.hasDueNotices()
      ? { type: 'now', why: 'a notification was not sent', isNoticeOnly: true }
      : found;
  if (reason.type !== 'now') return reason;
  const done = doneBy(run.state);
  const left = record.left.get(run.runId);
  if (left !== undefined && left.done === done) return { type: 'leave', why: left.why };
  const before = record.takenUp.get(run.runId);
  const tries = before === undefined || before.done !== done ? 0 : before.attempt;
  if (before === undefined || tries === 0) return { ...reason, attempt: 1 };
  const pause = PAUSES_MS[tries - 1];
  if (pause === undefined)
    return { type: 'give-up', why: `it ended ${tries} times without completing anything` };
  const at = new Date(Date.parse(before.at) + pause);
  return at <= moment.now ? { ...reason, attempt: tries + 1 } : { type: 'at', at, why: reason.why };
}

/** U1 */
function isByPerson({ status }: RunState): boolean {
  return status === 'cancelled' || status === 'interrupted';
}

/** Grows whenever a step or an agent call ends. */
export function doneBy({ totals }: RunState): number {
  return totals.steps_completed + totals.steps_failed + totals.agent_calls;
}

type Reason = Exclude<TakeUp, { type: 'now' | 'give-up' }> | Now;

function reasonFor(run: IdleRun, moment: Moment): Reason {
  const { state, paths } = run;
  switch (state.status) {
    case 'waiting':
      return waitingFor(state, paths, moment);
    case 'interrupted':
      if (isAbandoned(state)) return { type: 'now', why: 'its process died' };
      return isEndedByShutdown(run, moment)
        ? { type: 'now', why: 'the machine was shut down' }
        : { type: 'leave', why: 'it was interrupted by a person' };
    case 'running':
      return { type: 'now', why: 'its process died' };
    default:
      // Partial: the others have ended.
      return { type: 'leave', why: `it is ${state.status}` };
  }
}

/** U3 */
function waitingFor({ waiting_for = {} }: RunState, paths: RunPaths, { now }: Moment): Reason {
  const questions = Object.entries(waiting_for);
  const answered = questions.find(([key, question]) => isAnswered(paths, key as StepKey, question));
  if (answered !== undefined) return { type: 'now', why: `\`${answered[0]}\` was answered` };
  const expiries = questions.flatMap(([, { expires_at }]) =>
    expires_at === undefined ? [] : [Date.parse(expires_at)],
  );
  if (expiries.length === 0) return { type: 'leave', why: 'it waits for an answer' };
  const first = Math.min(...expiries);
  return first <= now.getTime()
    ? { type: 'now', why: 'its question has expired' }
    : { type: 'at', at: new Date(first), why: 'its question expires' };
}

function isEndedByShutdown({ state, signal }: IdleRun, moment: Moment): boolean {
  return endedByShutdown({ signal, endedAt: state.completed_at }, moment);
}
