import type { Spending } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { isShown } from '../../model/effect.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Field } from '../../model/field.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { ItemNames } from '../../model/item-name.ts';
import { isJsonObject } from '../../model/json.ts';
import { type Noted, notedIn } from '../../model/noted.ts';
import { INTERRUPTED, OpenCalls } from '../../model/open-calls.ts';
import { OpenLimits } from '../../model/open-limits.ts';
import type { Spent } from '../../model/record.ts';
import { ResumeAdvisor } from '../../model/resume-advice.ts';
import { RunClock } from '../../model/run-clock.ts';
import { type CountedStatus, StepCounts } from '../../model/step-counts.ts';
import { addCall } from '../../model/sum-spent.ts';
import { skipUnknown } from '../../model/unreachable.ts';

export interface FailedStep {
  readonly failure: Failure;
  readonly stderrTail?: string;
  readonly stdoutTail?: string;
}

export interface OpenQuestion {
  readonly message: string;
  readonly choices: readonly string[];
  readonly fields?: readonly Field[];
}

/** What the live views know about a run: its id and title, the running steps, the totals and the failures. */
export class Tally {
  runId: string;
  title: string;
  /** Running steps → when they started, in that order. */
  readonly running = new Map<StepKey, string>();
  /** Steps that contain others → their number of items, if known. */
  readonly containers = new Map<StepKey, number | undefined>();
  /** Loops → number of completed items. */
  readonly itemsDone = new Map<StepKey, number>();
  readonly questions = new Map<StepKey, OpenQuestion>();
  readonly failures = new Map<StepKey, FailedStep>();
  readonly counts = new StepCounts();
  readonly clock = new RunClock();
  readonly advice = new ResumeAdvisor();
  readonly limits = new OpenLimits();
  readonly #calls = new OpenCalls();
  readonly items = new ItemNames();
  workflowFile: string | undefined;
  /** Workers carry it out: it continues by itself when it is answered. */
  isOnWorkers = false;
  #stopping: readonly StepKey[] = [];
  readonly #spending = { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 };

  /** `history`: the run's journal so far. */
  constructor(run: {
    readonly runId: string;
    readonly title: string;
    readonly history?: readonly RunEvent[];
  }) {
    for (const event of run.history ?? []) this.apply(event);
    this.runId = run.runId;
    this.title = run.title;
  }

  get spending(): Spending {
    return this.#spending;
  }

  statusOf(key: StepKey): CountedStatus | undefined {
    return this.counts.statusOf(key);
  }

  /** The running steps are being stopped. They are gone once `finally` starts its first step. */
  stopping(): void {
    this.#stopping = [...this.running.keys()];
  }

  apply(event: RunEvent): void {
    const noted = event.type === 'step-ended' ? notedIn(event) : undefined;
    this.counts.apply(event, noted);
    this.advice.apply(event, noted);
    this.limits.apply(event);
    for (const _ of this.#calls.apply(event)) this.#spend(INTERRUPTED);
    if (event.type !== 'progress') this.clock.apply(event);
    switch (event.type) {
      case 'run-started':
        this.runId = event.runId;
        this.title = event.title;
        if (typeof event.facts['workflow_file'] === 'string')
          this.workflowFile = event.facts['workflow_file'];
        this.isOnWorkers = event.facts['engine'] === 'dbos';
        break;
      case 'step-started':
        if (isShown(event.effect)) this.#stepStarted(event);
        break;
      case 'attempt-ended':
      case 'attempt-asked':
        this.#spend(event.spent);
        break;
      case 'step-ended':
        if (noted === undefined) this.#stepEnded(event);
        else this.#noted(noted);
        break;
      case 'question-asked':
        this.questions.set(event.key, event.question);
        break;
      case 'question-answered':
        this.questions.delete(event.key);
        break;
      case 'branch-stopped':
      case 'branch-ended':
        if (this.questions.size === 0) break;
        for (const key of [...this.questions.keys()])
          if (key.startsWith(`${event.key}/`)) this.questions.delete(key);
        break;
      case 'run-resumed':
      case 'run-ended':
        this.running.clear();
        break;
      case 'process-started':
      case 'sleep-started':
      case 'sleep-ended':
      case 'time-read':
      case 'progress':
        break;
      default:
        skipUnknown(event);
    }
  }

  #stepStarted({ key, at }: Extract<RunEvent, { type: 'step-started' }>): void {
    for (const stopped of this.#stopping) this.running.delete(stopped);
    this.#stopping = [];
    if (!this.running.has(key)) this.running.set(key, at);
  }

  #stepEnded(event: Extract<RunEvent, { type: 'step-ended' }>): void {
    this.running.delete(event.key);
    if (!isJsonObject(event.output)) return;
    const { spent, failure, stderrTail, stdoutTail } = event.output;
    this.#spend(spent as Spent | undefined);
    if (!isShown(event.effect)) return;
    if (failure === undefined) {
      if (this.failures.size > 0) this.failures.delete(ownerOf(event.key));
      return;
    }
    this.#ended(ownerOf(event.key), {
      failure: failure as Failure | undefined,
      ...(typeof stderrTail === 'string' ? { stderrTail } : {}),
      ...(typeof stdoutTail === 'string' ? { stdoutTail } : {}),
    });
  }

  #noted(noted: Noted): void {
    this.items.apply(noted);
    if (noted.type === 'container') {
      this.containers.set(noted.key, noted.items?.length);
    } else if (noted.type === 'item-completed') {
      this.itemsDone.set(noted.key, (this.itemsDone.get(noted.key) ?? 0) + 1);
    } else if (noted.type === 'record' && noted.record.status !== undefined) {
      const { status, failure } = noted.record;
      if (status === 'skipped') return;
      const { stderrTail, stdoutTail } = { ...this.failures.get(noted.key), ...noted.record };
      this.#ended(noted.key, { failure, ...defined({ stderrTail, stdoutTail }) });
    }
  }

  #ended(key: StepKey, end: Omit<FailedStep, 'failure'> & { readonly failure: Failure | undefined }): void {
    if (end.failure === undefined) this.failures.delete(key);
    else this.failures.set(key, { ...end, failure: end.failure });
  }

  #spend(spent: Spent | undefined): void {
    if (spent !== undefined) addCall(this.#spending, spent);
  }
}
