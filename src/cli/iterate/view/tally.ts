/** What the views of an iterate run know, folded from its events. */
import type { IterateInput, IterateOutput } from '../../../iterate/input.ts';
import type { RunEvent } from '../../../model/event.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../model/json.ts';
import { OpenLimits } from '../../../model/open-limits.ts';
import type { Spent } from '../../../model/record.ts';
import type { LimitState } from '../../../model/run-state.ts';
import type { Spending } from '../../../report/text/amounts.ts';

const ITERATION = /^iteration\/(\d+)$/;
const COUNTED = /^iteration\/(\d+)@metadata$/;
const STATUS = /^iteration\/\d+@status$/;
const VERIFICATION = /^verification\/(\d+)$/;
/** The estimate looks back this far. */
const REMEMBERED = 5;

export interface IterationDone {
  readonly iteration: number;
  readonly remaining?: number;
  readonly summary?: string;
  readonly noWork: number;
}

export class RunTally {
  readonly name: string;
  readonly mode: string;
  readonly maxIterations: number;
  readonly stagnationThreshold: number;
  startedAt: string | undefined;
  /** Begun, and not yet counted. */
  running: number | undefined;
  verifying: number | undefined;
  last: IterationDone | undefined;
  /** Of the agent's own counting. */
  progress: { readonly completed: number; readonly total: number } | undefined;
  waitingUntil: string | undefined;
  readonly #limits = new OpenLimits();
  readonly #recent: { readonly durationMs: number; readonly completed: number | undefined }[] = [];
  #lastDurationMs = 0;
  #spending = { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 };

  constructor(input: Pick<IterateInput, 'name' | 'mode' | 'maxIterations' | 'stagnationThreshold'>) {
    this.name = input.name;
    this.mode = input.mode;
    this.maxIterations = input.maxIterations;
    this.stagnationThreshold = input.stagnationThreshold;
  }

  get spending(): Spending {
    return this.#spending;
  }

  get done(): number {
    return this.last?.iteration ?? 0;
  }

  /** The usage limit that is waited for: one agent at a time, one limit. */
  get limit(): LimitState | undefined {
    return [...this.#limits.open.values()][0];
  }

  apply(event: RunEvent): void {
    this.#limits.apply(event);
    switch (event.type) {
      case 'run-started':
        this.startedAt = event.at;
        break;
      case 'step-started': {
        const iteration = numberIn(ITERATION, event.key);
        if (iteration !== undefined) this.running = iteration;
        this.verifying = numberIn(VERIFICATION, event.key) ?? this.verifying;
        this.waitingUntil = undefined;
        break;
      }
      case 'attempt-ended':
        this.#spend(event.spent);
        this.waitingUntil = event.nextAt;
        break;
      case 'step-ended':
        this.#stepEnded(event);
        break;
      case 'run-ended':
        this.running = undefined;
        this.verifying = undefined;
        break;
      default:
        // Partial: the other events count nothing.
        break;
    }
  }

  /** From the last iterations: by items where the agent counts them, else up to the limit. Nothing before the first has ended. */
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

  #stepEnded(event: Extract<RunEvent, { type: 'step-ended' }>): void {
    const output = isJsonObject(event.output) ? event.output : {};
    this.#spend(output['spent'] as Spent | undefined);
    if (ITERATION.test(event.key)) this.#lastDurationMs = event.durationMs;
    if (VERIFICATION.test(event.key)) this.verifying = undefined;
    if (STATUS.test(event.key)) this.#readStatus(output);
    const done = iterationDone(event);
    if (done === undefined) return;
    this.last = done;
    this.running = undefined;
    this.#recent.push({ durationMs: this.#lastDurationMs, completed: this.progress?.completed });
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
  }

  #readStatus(output: JsonObject): void {
    this.progress = undefined;
    try {
      const status: unknown = parseJson(String(output['text'] ?? ''));
      const progress = isJsonObject(status) ? status['progress'] : undefined;
      if (!isJsonObject(progress)) return;
      const { completed, total } = progress;
      if (typeof completed === 'number' && typeof total === 'number' && total > 0)
        this.progress = { completed, total };
    } catch {
      // No status that can be read: no progress to show.
    }
  }

  #spend(spent: Spent | undefined): void {
    if (spent === undefined) return;
    this.#spending.agent_calls += 1;
    if (spent.costUsd === null) this.#spending.unknown_cost_calls += 1;
    else this.#spending.cost_usd += spent.costUsd;
  }
}

/** The facts of an iteration that has just been counted; nothing for any other event. */
export function iterationDone(event: RunEvent): IterationDone | undefined {
  if (event.type !== 'step-ended' || !COUNTED.test(event.key)) return undefined;
  const document = isJsonObject(event.output) ? event.output['document'] : undefined;
  const run = isJsonObject(document) ? document['run'] : undefined;
  if (!isJsonObject(run)) return undefined;
  const { iteration, remaining, summary, noWork } = run;
  return {
    iteration: Number(iteration),
    noWork: Number(noWork),
    ...(typeof remaining === 'number' ? { remaining } : {}),
    ...(typeof summary === 'string' ? { summary } : {}),
  };
}

export function iterationOf(key: string): number | undefined {
  return numberIn(ITERATION, key);
}

export function verificationOf(key: string): number | undefined {
  return numberIn(VERIFICATION, key);
}

export function outputOf(event: Extract<RunEvent, { type: 'run-ended' }>): IterateOutput | undefined {
  return isJsonObject(event.output) && typeof event.output['stopReason'] === 'string'
    ? (event.output as unknown as IterateOutput)
    : undefined;
}

function numberIn(pattern: RegExp, key: string): number | undefined {
  const found = pattern.exec(key)?.[1];
  return found === undefined ? undefined : Number(found);
}
