/**
 * The keeper of a workspace: starts runs that are due or queued, and takes up runs that lost their process or got an answer. It owns no run:
 * every run is a process of its own that outlives it. Kill it at any moment: nothing stops, and the next keeper continues.
 *
 *   stopped ──start──▶ keeping ──stop──▶ stopped
 *
 * G1 One keeper works on a workspace: it holds the lock `.orchestrate/keeper/lock`, from the first thing it does. Another one waits.
 * G2 What it decides is in its journal before it is done (K1), so nothing is done twice or forgotten.
 * G3 Looks never overlap: the next begins when the last has ended.
 * G4 It starts only workflows that the user has named or trusted, with their present contents.
 */
import { defined } from '../model/defined.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { firstMistake, readConfig } from '../operations/config/read-config.ts';
import { describeProblem, problemSentence } from '../operations/describe-problem.ts';
import { diskProblem } from '../operations/disk-problem.ts';
import type { Problem } from '../operations/problem.ts';
import { resumeRun } from '../operations/resuming/resume-run.ts';
import { prepareDueNotices } from '../operations/runs/due-notices.ts';
import { type FoundSchedules, ScheduleFinder } from '../operations/schedules/find-schedules.ts';
import { readPauses } from '../operations/schedules/paused.ts';
import { dropFromRunQueue, type QueuedRun, readQueue } from '../operations/schedules/run-queue.ts';
import { mayStartAlone } from '../operations/schedules/trusted-workflows.ts';
import type { Site } from '../operations/site.ts';
import { startFile } from '../operations/starting/start-file.ts';
import { holderText } from '../store/describe-held.ts';
import { FolderWatch } from '../store/folder-watch.ts';
import { keeperPaths, runsFolder } from '../store/layout.ts';
import type { Held } from '../store/lock.ts';
import type { RunOptions } from '../workflow/block.ts';
import { isBeingLoaded } from './being-loaded.ts';
import { KeeperJournal, KeptElsewhere, LookAgain } from './keeper-journal.ts';
import { notOfQueue, takeUpLoops } from './loops.ts';
import { PatientCode } from './patient-code.ts';
import { hasRun, RunWatch } from './runs.ts';
import { finishStarts, openRunOf, type Starting, startDue } from './schedules.ts';
import { decideTakeUp, doneBy, type IdleRun } from './take-up.ts';
import type { KeeperWorld } from './world.ts';

export interface KeeperOptions {
  readonly site: Site;
  readonly world: KeeperWorld;
  /** Workflow files besides those in `workflows/`. */
  readonly files?: readonly string[];
  /** What it does, as sentences. */
  say(text: string): void;
}

export interface KeeperStatus {
  readonly state: 'stopped' | 'keeping';
  readonly since?: string;
  readonly invalid: FoundSchedules['invalid'];
  /** Runs with a process. */
  readonly alive: number;
  readonly queued: number;
  /** Runs that it will take up later. */
  readonly later: readonly { readonly run_id: string; readonly at: string; readonly why: string }[];
  /** Runs that it does not take up, although they have not ended. */
  readonly left: readonly { readonly run_id: string; readonly why: string }[];
}

export interface Keeper {
  /** Problem if another process keeps this workspace. */
  start(): Result<void, Problem>;
  /** Looks at everything once, at once. For a keeper that has started. */
  look(): Promise<void>;
  stop(): Promise<void>;
  status(): KeeperStatus;
}

const UNTRUSTED = 'you have not trusted it in this form; restart `orchestrate keep` to be asked';

/** Watching a folder is not reliable everywhere. */
const LOOK_EVERY_MS = 2000;

function keptBy(held: Held): string {
  return `this workspace is already kept by ${holderText(held)}`;
}

function wordsFor(cause: unknown): string {
  if (cause instanceof KeptElsewhere) return keptBy(cause.held);
  const disk = diskProblem(cause);
  if (disk !== undefined)
    return `${describeProblem(disk).message}; nothing is taken up or started until this has changed`;
  return `internal error: ${cause instanceof Error ? cause.message : String(cause)}`;
}

export function createKeeper(options: KeeperOptions): Keeper {
  return new WorkspaceKeeper(options);
}

class WorkspaceKeeper implements Keeper {
  readonly #options: KeeperOptions;
  readonly #code: PatientCode | undefined;
  readonly #finder = new ScheduleFinder();
  readonly #runs: RunWatch;
  readonly #said = new Set<string>();
  readonly #journal: KeeperJournal;
  #isKeeping = false;
  /** Where answers to waiting runs appear. */
  #answerFolders: readonly string[] = [];
  #ending = new AbortController();
  #waking = new AbortController();
  #keeping: Promise<void> = Promise.resolve();
  #looking: Promise<Date | undefined> = Promise.resolve(undefined);
  #status: KeeperStatus = { state: 'stopped', invalid: [], alive: 0, queued: 0, later: [], left: [] };

  constructor(options: KeeperOptions) {
    const { codeProcesses } = options.site;
    this.#code =
      codeProcesses === undefined ? undefined : new PatientCode(codeProcesses, () => this.#waking.abort());
    this.#options = { ...options, site: { ...options.site, ...defined({ codeProcesses: this.#code }) } };
    this.#runs = new RunWatch(options.site.workspace);
    this.#journal = new KeeperJournal(options.site.workspace, options.say, () => options.world.now());
  }

  start(): Result<void, Problem> {
    // G1
    const held = this.#journal.heldElsewhere();
    if (held !== undefined) return error({ type: 'workspace-kept', held });
    this.#isKeeping = true;
    this.#ending = new AbortController();
    this.#status = { ...this.#status, state: 'keeping', since: this.#options.world.now().toISOString() };
    this.#keeping = this.#keep();
    return ok(undefined);
  }

  async look(): Promise<void> {
    await this.#lookOnce();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#waking.abort();
    this.#code?.close();
    await this.#keeping.catch(() => {});
    await this.#looking.catch(() => {});
    this.#isKeeping = false;
    this.#journal.close();
    this.#status = { ...this.#status, state: 'stopped' };
  }

  status(): KeeperStatus {
    return this.#status;
  }

  async #keep(): Promise<void> {
    const { site, world } = this.#options;
    const watch = new FolderWatch(() => this.#waking.abort());
    try {
      while (!this.#ending.signal.aborted) {
        this.#waking = new AbortController();
        const folders = [keeperPaths(site.workspace).folder, runsFolder(site.workspace)];
        watch.add(folders);
        const { next, hasFailed } = await this.#lookAndGoOn();
        // A run that was resumed writes all the time, and is not waited for any more.
        watch.only([...folders, ...this.#answerFolders]);
        // A look that failed has written something itself: it must not wake the next one.
        const wakes = hasFailed ? [this.#ending.signal] : [this.#ending.signal, this.#waking.signal];
        await world.sleep(next, { atMostMs: LOOK_EVERY_MS, signal: AbortSignal.any(wakes) });
      }
    } finally {
      watch.close();
    }
  }

  /** A full disk or a bug in one look must not end the keeper: it says so and looks again. `next`: when it has to look at the latest. */
  async #lookAndGoOn(): Promise<{ readonly next: Date | undefined; readonly hasFailed: boolean }> {
    try {
      return { next: await this.#lookOnce(), hasFailed: false };
    } catch (cause) {
      this.#sayOnce(wordsFor(cause));
      this.#journal.reopen();
      return { next: undefined, hasFailed: true };
    }
  }

  /** G3 */
  #lookOnce(): Promise<Date | undefined> {
    const look = (): Promise<Date | undefined> =>
      this.#look().catch((cause: unknown) => {
        if (cause instanceof LookAgain) return this.#look();
        throw cause;
      });
    const looked = this.#looking.catch(() => undefined).then(look);
    this.#looking = looked;
    return looked;
  }

  /** Returns when it must look again at the latest. */
  async #look(): Promise<Date | undefined> {
    if (this.#ending.signal.aborted || !this.#isKeeping) return undefined;
    this.#code?.forgetUnused();
    const { site, world, files = [] } = this.#options;
    const journal = this.#journal;
    const { config, diagnostics } = readConfig(site);
    const mistake = firstMistake(diagnostics);
    if (mistake !== undefined) this.#sayOnce(mistake);
    const { maxRuns, keep } = config;
    const seen = await this.#runs.look();
    this.#answerFolders = seen.idle.flatMap(({ paths }) => [paths.directory, paths.answers]);
    let started = 0;
    const by: Starting = {
      ...{ site, journal },
      world: {
        ...world,
        start: async (prepared) => {
          const done = await world.start(prepared);
          if (done.type === 'ok') started += 1;
          return done;
        },
      },
      hasPlace: () => seen.alive + started < maxRuns,
      isOpen: (runId) => this.#runs.isOpen(runId),
      say: (text) => this.#options.say(text),
    };
    const found = await this.#finder.find(site, files);
    const untrusted = new Set([
      ...found.untrusted,
      ...found.schedules.map(({ file }) => file).filter((file) => !this.#mayStart(file)),
    ]);
    const schedules = found.schedules.filter(({ file }) => !untrusted.has(file));
    const invalid = [...found.invalid, ...[...untrusted].map((file) => ({ file, problem: UNTRUSTED }))];
    for (const { file, problem } of invalid) this.#sayOnce(`${file} cannot be used: ${problem}`);
    await finishStarts(by, schedules, found.pending);
    // What has waited is started before what is due now.
    await this.#startQueued(by);
    const due = await startDue(by, schedules, readPauses(site.workspace));
    await finishStarts(by, schedules, found.pending);
    const queued = await this.#startQueued(by);
    const loopsAt = keep === 'never' ? undefined : await takeUpLoops(by);
    const { later, left } =
      keep === 'never' ? { later: [], left: [] } : await this.#takeUp(by, notOfQueue(site, seen.idle));
    this.#status = { ...this.#status, invalid, queued, later, left, alive: seen.alive + started };
    const times = [due, loopsAt, ...later.map(({ at }) => new Date(at))].filter((each) => each !== undefined);
    return times.length === 0 ? undefined : new Date(Math.min(...times.map((at) => at.getTime())));
  }

  async #startQueued(by: Starting): Promise<number> {
    const queue = readQueue(by.site.workspace);
    if (queue.type === 'error') {
      this.#sayOnce(describeProblem(queue.error).message);
      return 0;
    }
    let waiting = queue.value.length;
    if (waiting > 0) by.journal.hold();
    for (const entry of queue.value) {
      if (await this.#startQueuedRun(by, entry)) waiting -= 1;
    }
    return waiting;
  }

  /** G4 */
  #mayStart(file: string): boolean {
    const { site, files = [] } = this.#options;
    return files.includes(file) || mayStartAlone(site, [file]).type === 'ok';
  }

  /** True if it no longer waits. */
  async #startQueuedRun(by: Starting, entry: QueuedRun): Promise<boolean> {
    const { site, world, journal } = by;
    const { run_id: runId, file, context, options, schedule } = entry;
    if (!hasRun(site.workspace, runId)) {
      if (!this.#mayStart(file)) {
        this.#sayOnce(`${file} cannot be used: ${UNTRUSTED}`);
        return false;
      }
      if (!by.hasPlace()) return false;
      if (schedule !== undefined && (await openRunOf(by, { id: schedule }, runId)) !== undefined)
        return false;
      const given = { file, context, runId, ...defined({ options: options as RunOptions | undefined }) };
      const prepared = await startFile(site, given);
      if (isBeingLoaded(prepared)) return false;
      const done = prepared.type === 'ok' ? await world.start(prepared.value) : prepared;
      if (done.type === 'ok') by.say(`${file}: started queued run ${runId}`);
      else if (!hasRun(site.workspace, runId))
        by.say(`${file}: cannot start queued run ${runId}: ${problemSentence(done.error)}`);
    }
    await dropFromRunQueue(site, runId);
    await journal.append({ type: 'run-begun', at: world.now().toISOString(), runId });
    return true;
  }

  async #takeUp(by: Starting, idle: readonly IdleRun[]): Promise<Pick<KeeperStatus, 'later' | 'left'>> {
    const { site, world, journal } = by;
    const later: KeeperStatus['later'][number][] = [];
    const left: KeeperStatus['left'][number][] = [];
    for (const run of idle) {
      const { runId } = run;
      const moment = { now: world.now(), bootedAt: world.bootedAt() };
      const decision = decideTakeUp(run, journal.record, moment);
      const leave = async (why: string): Promise<void> => {
        left.push({ run_id: runId, why });
        if (journal.record.left.get(runId)?.done === doneBy(run.state)) return;
        by.say(`run ${runId} is not taken up: ${why}`);
        const at = moment.now.toISOString();
        await journal.append({ type: 'run-left', at, runId, why, done: doneBy(run.state) });
      };
      switch (decision.type) {
        case 'leave':
          left.push({ run_id: runId, why: decision.why });
          break;
        case 'give-up':
          await leave(decision.why);
          break;
        case 'at':
          later.push({ run_id: runId, at: decision.at.toISOString(), why: decision.why });
          break;
        case 'now': {
          if (run.isNeverKept) {
            left.push({ run_id: runId, why: 'its workflow has `keep: never`' });
            break;
          }
          const { why, attempt, isNoticeOnly } = decision;
          // Before a process of its own reads a large journal: what it answers would be lost.
          journal.hold();
          const prepared = await (isNoticeOnly === true
            ? prepareDueNotices(site, runId)
            : resumeRun(site, { run: runId }));
          if (isBeingLoaded(prepared)) {
            const soon = new Date(moment.now.getTime() + LOOK_EVERY_MS);
            later.push({
              run_id: runId,
              at: soon.toISOString(),
              why: 'its journal or its code is being read',
            });
            break;
          }
          const at = moment.now.toISOString();
          // G2
          await journal.append({ type: 'run-taken-up', at, runId, why, attempt, done: doneBy(run.state) });
          const begun = prepared.type === 'ok' ? await world.start(prepared.value) : prepared;
          const what = isNoticeOnly === true ? 'sending notifications of' : 'resumed';
          if (begun.type === 'ok')
            by.say(`${what} run ${runId}: ${why}${attempt === 1 ? '' : ` (try ${attempt})`}`);
          // The machine may be busy: it is attempted again after a pause.
          else if (begun.error.type === 'code-takes-too-long')
            by.say(`run ${runId} is not resumed: ${problemSentence(begun.error)}`);
          else if (begun.error.type !== 'held-run') await leave(problemSentence(begun.error));
          break;
        }
        default:
          unreachable(decision);
      }
    }
    return { later, left };
  }

  /** A problem that stays is reported once. */
  #sayOnce(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.say(text);
  }
}
