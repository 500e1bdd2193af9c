/** Starts what is due. See K1 and K2 in `operations/schedules/keeper-events.ts`. */
import type { RunId } from '../model/ids.ts';
import { problemSentence } from '../operations/describe-problem.ts';
import { newRunId } from '../operations/runs/run-ids.ts';
import { type Times, timesOf } from '../operations/schedules/due.ts';
import { isOfFile, type Schedule } from '../operations/schedules/find-schedules.ts';
import type { Pause } from '../operations/schedules/paused.ts';
import { putInRunQueue, readQueue } from '../operations/schedules/run-queue.ts';
import type { Site } from '../operations/site.ts';
import { startFile } from '../operations/starting/start-file.ts';
import { cancelAnyRun } from '../operations/workflows/cancel-any-run.ts';
import { isBeingLoaded } from './being-loaded.ts';
import type { KeeperJournal } from './keeper-journal.ts';
import { hasRun } from './runs.ts';
import type { KeeperWorld } from './world.ts';

/** A start that is not later than this is on time. */
const ON_TIME_MS = 60_000;

export interface Starting {
  readonly site: Site;
  readonly world: KeeperWorld;
  readonly journal: KeeperJournal;
  /** Whether another run may be started now. */
  hasPlace(): boolean;
  /** Whether a run has not ended. */
  isOpen(runId: RunId): Promise<boolean>;
  say(text: string): void;
}

const TIMES = new Map<string, Times>();

function timesFor({ id, entry }: Schedule): Times {
  const known = TIMES.get(id) ?? timesOf(entry);
  TIMES.set(id, known);
  return known;
}

/** Decides about every time that has come. Returns the next one. */
export async function startDue(
  by: Starting,
  schedules: readonly Schedule[],
  pauses: ReadonlyMap<string, Pause>,
): Promise<Date | undefined> {
  let next: Date | undefined;
  for (const schedule of schedules) {
    await decide(by, schedule, pauses.get(schedule.file));
    const at = timesFor(schedule).next(by.world.now());
    if (at !== undefined && (next === undefined || at < next)) next = at;
  }
  return next;
}

async function decide(by: Starting, schedule: Schedule, pause: Pause | undefined): Promise<void> {
  const { journal, world } = by;
  const now = world.now();
  const known = journal.record.schedules.get(schedule.id);
  if (known === undefined) {
    await journal.append({ type: 'schedule-seen', at: now.toISOString(), schedule: schedule.id });
    return;
  }
  const decided = Date.parse(known.decidedUntil);
  const resumed = pause?.isPaused === false ? Date.parse(pause.at) : decided;
  const after = new Date(Math.max(decided, Number.isNaN(resumed) ? decided : resumed));
  const due = timesFor(schedule).last(after, now);
  if (due === undefined) return;
  journal.hold();
  const skip = (why: 'paused' | 'missed' | 'overlap'): Promise<void> =>
    journal.append({
      ...{ type: 'start-skipped', at: now.toISOString(), schedule: schedule.id },
      ...{ due: due.toISOString(), why },
    });
  if (pause?.isPaused === true) return skip('paused');
  const isLate = now.getTime() - due.getTime() > ON_TIME_MS;
  if (isLate && schedule.entry.catchUp === 'none') {
    by.say(`${schedule.file}: the start of ${due.toISOString()} was missed`);
    return skip('missed');
  }
  const running = await openRunOf(by, schedule);
  const waiting = queuedRunOf(by, schedule);
  const busy = running ?? waiting;
  // Once: a second signal would end its `finally` steps.
  if (running !== undefined && waiting === undefined && schedule.entry.overlap === 'cancel')
    await cancel(by, running);
  // At most one start of a schedule waits.
  if (busy !== undefined && (schedule.entry.overlap === 'skip' || waiting !== undefined)) {
    by.say(`${schedule.file}: not started, because run ${busy} has not ended`);
    return skip('overlap');
  }
  // K1
  const runId = newRunId(by.site.workspace);
  await journal.append({
    ...{ type: 'start-due', at: now.toISOString(), schedule: schedule.id },
    ...{ due: due.toISOString(), runId },
  });
}

/** Carries out recorded starts, also those of a keeper that was killed. */
export async function finishStarts(
  by: Starting,
  schedules: readonly Schedule[],
  /** Files whose schedules are not known yet. */
  pending: readonly string[],
): Promise<void> {
  if (by.journal.record.open.size > 0) by.journal.hold();
  for (const [runId, { schedule: id, due }] of by.journal.record.open) {
    const at = by.world.now().toISOString();
    const schedule = schedules.find((each) => each.id === id);
    if (hasRun(by.site.workspace, runId)) await by.journal.append({ type: 'run-begun', at, runId });
    else if (pending.some((file) => isOfFile(id, file))) continue;
    else if (schedule === undefined) {
      const problem = 'the schedule was changed or removed';
      await by.journal.append({
        type: 'start-skipped',
        at,
        schedule: id,
        due,
        why: 'refused',
        problem,
        runId,
      });
    } else await startOne(by, schedule, { runId, due });
  }
}

async function startOne(
  by: Starting,
  schedule: Schedule,
  { runId, due }: { readonly runId: RunId; readonly due: string },
): Promise<void> {
  const { site, world, journal } = by;
  const { file, entry, id } = schedule;
  const at = (): string => world.now().toISOString();
  if (!by.hasPlace() || (await openRunOf(by, schedule, runId)) !== undefined) {
    const queued = await putInRunQueue(site, {
      ...{ run_id: runId, workflow: schedule.workflow, file, priority: 0, queued_at: at() },
      ...{ context: entry.context, schedule: id },
    });
    if (queued.type === 'ok') await journal.append({ type: 'run-queued', at: at(), runId });
    return;
  }
  const prepared = await startFile(site, { file, context: entry.context, runId });
  // It stays recorded as due (K1).
  if (isBeingLoaded(prepared)) return;
  const started = prepared.type === 'ok' ? await world.start(prepared.value) : prepared;
  if (started.type === 'ok' || hasRun(site.workspace, runId)) {
    by.say(`${file}: started run ${runId} for ${due}`);
    await journal.append({ type: 'run-begun', at: at(), runId });
    return;
  }
  const problem = problemSentence(started.error);
  by.say(`${file}: cannot start: ${problem}`);
  await journal.append({
    type: 'start-skipped',
    at: at(),
    schedule: id,
    due,
    why: 'refused',
    problem,
    runId,
  });
}

/** The last run of the schedule, if it has not ended. */
export async function openRunOf(
  { journal, isOpen }: Pick<Starting, 'journal' | 'isOpen'>,
  { id }: Pick<Schedule, 'id'>,
  except?: RunId,
): Promise<RunId | undefined> {
  for (const runId of journal.record.runsOf(id)) if (runId !== except && (await isOpen(runId))) return runId;
  return undefined;
}

function queuedRunOf({ site }: Starting, { id }: Schedule): RunId | undefined {
  const queue = readQueue(site.workspace);
  return queue.type === 'ok' ? queue.value.find(({ schedule }) => schedule === id)?.run_id : undefined;
}

async function cancel({ site, world, say }: Starting, runId: RunId): Promise<void> {
  const asked = await cancelAnyRun(site, runId);
  if (asked.type === 'error') return;
  if (asked.value.type === 'finally-planned') await world.start(asked.value.prepared);
  say(`cancelled run ${runId}, because its schedule starts another`);
}
