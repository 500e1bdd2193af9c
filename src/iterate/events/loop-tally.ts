/** The state shown by views of a loop, folded from its events. */
import type { RunEvent } from '../../model/event.ts';
import { isJsonObject } from '../../model/json.ts';
import { INTERRUPTED, OpenCalls } from '../../model/open-calls.ts';
import { OpenLimits } from '../../model/open-limits.ts';
import type { Spent } from '../../model/record.ts';
import type { LimitState } from '../../model/run-state.ts';
import { addCall } from '../../model/sum-spent.ts';
import type { IterateInput } from '../input.ts';
import type { LoopChange } from '../workspace/change.ts';
import { type IterationDone, type LoopEvent, loopEventOf, type Progress } from './loop-event.ts';

/** How many iterations the estimate uses. */
const REMEMBERED = 5;

/** The limits of a loop. */
export type LoopOutline = Pick<IterateInput, 'name' | 'mode' | 'maxIterations' | 'stagnationThreshold'>;

export class LoopTally {
  readonly name: string;
  readonly mode: string;
  maxIterations: number;
  stagnationThreshold: number;
  startedAt: string | undefined;
  /** Started, but not counted yet. */
  running: number | undefined;
  verifying: number | undefined;
  last: IterationDone | undefined;
  progress: Progress | undefined;
  waitingUntil: string | undefined;
  /** A person, in this process of the run. */
  hasAsked = false;
  readonly #limits = new OpenLimits();
  readonly #calls = new OpenCalls();
  readonly #recent: { readonly durationMs: number; readonly completed: number | undefined }[] = [];
  #lastDurationMs = 0;
  #change: LoopChange | undefined;
  #spending = { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 };

  constructor(loop: LoopOutline) {
    this.name = loop.name;
    this.mode = loop.mode;
    this.maxIterations = loop.maxIterations;
    this.stagnationThreshold = loop.stagnationThreshold;
  }

  get spending(): {
    readonly cost_usd: number;
    readonly agent_calls: number;
    readonly unknown_cost_calls: number;
  } {
    return this.#spending;
  }

  get done(): number {
    return this.last?.iteration ?? 0;
  }

  /** The usage limit being waited for; there is one agent at a time, so only one limit. */
  get limit(): LimitState | undefined {
    return [...this.#limits.open.values()][0];
  }

  apply(event: RunEvent): void {
    this.#limits.apply(event);
    for (const _ of this.#calls.apply(event)) this.#spend(INTERRUPTED);
    switch (event.type) {
      case 'run-started':
        this.startedAt = event.at;
        break;
      case 'run-resumed':
        this.hasAsked = false;
        break;
      case 'step-started':
        this.waitingUntil = undefined;
        break;
      case 'attempt-ended':
        this.#spend(event.spent);
        this.waitingUntil = event.nextAt;
        break;
      case 'attempt-asked':
        this.#spend(event.spent);
        break;
      case 'step-ended':
        if (isJsonObject(event.output)) this.#spend(event.output['spent'] as Spent | undefined);
        break;
      case 'run-ended':
        this.running = undefined;
        this.verifying = undefined;
        break;
      default:
        // Partial: the other events change no counter.
        break;
    }
    const loopEvent = loopEventOf(event);
    if (loopEvent !== undefined) this.#count(loopEvent);
  }

  /** Estimated from the last iterations, by items if the agent counts them, otherwise up to the limit. Undefined before the first ends. */
  estimateMs(): number | undefined {
    if (this.#recent.length === 0) return undefined;
    const averageMs = this.#recent.reduce((sum, each) => sum + each.durationMs, 0) / this.#recent.length;
    const left = this.#iterationsLeft();
    return left === undefined ? undefined : Math.round(averageMs * left);
  }

  #iterationsLeft(): number | undefined {
    const upToLimit = this.maxIterations - this.done;
    if (this.progress === undefined) return upToLimit;
    const counts = this.#recent.map((each) => each.completed).filter((each) => each !== undefined);
    const first = counts[0];
    const perIteration =
      first === undefined || counts.length < 2 ? 1 : (this.progress.completed - first) / (counts.length - 1);
    const items = this.progress.total - this.progress.completed;
    return perIteration <= 0 ? upToLimit : Math.min(upToLimit, Math.ceil(items / perIteration));
  }

  #count(loopEvent: LoopEvent): void {
    switch (loopEvent.type) {
      case 'call-started':
        if (loopEvent.call.type === 'iteration') this.running = loopEvent.call.number;
        else this.verifying = loopEvent.call.number;
        break;
      case 'call-ended':
        if (loopEvent.call.type === 'iteration') this.#lastDurationMs = loopEvent.durationMs;
        else this.verifying = undefined;
        break;
      case 'question-asked':
        this.hasAsked = true;
        break;
      case 'change-read':
        this.#change = loopEvent.change;
        break;
      case 'changed':
        this.maxIterations = this.#change?.maxIterations ?? this.maxIterations;
        this.stagnationThreshold = this.#change?.stagnationThreshold ?? this.stagnationThreshold;
        break;
      case 'status-read':
        this.progress = loopEvent.progress;
        break;
      case 'iteration-ended':
        this.last = loopEvent;
        this.maxIterations = loopEvent.maxIterations ?? this.maxIterations;
        this.running = undefined;
        this.#recent.push({ durationMs: this.#lastDurationMs, completed: this.progress?.completed });
        if (this.#recent.length > REMEMBERED) this.#recent.shift();
        break;
      default:
        // Partial: the others change no counter.
        break;
    }
  }

  #spend(spent: Spent | undefined): void {
    if (spent !== undefined) addCall(this.#spending, spent);
  }
}
