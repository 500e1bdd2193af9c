/** A run while this process carries it out: from its plan to its end. */
import { carryOut } from '../../host/carrying/carry-out.ts';
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Result } from '../../model/result.ts';
import type { RunState } from '../../model/run-state.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import type { RunEnd } from '../orchestrator-types.ts';
import { EventFeed } from './event-feed.ts';
import { refusal } from './refusal.ts';
import { endOf } from './run-end.ts';

export interface Carrying {
  readonly site: Site;
  readonly dist: string;
  readonly onEvent: ((runId: string, event: RunEvent) => unknown) | undefined;
  readonly onProblem: ((runId: string, problem: string) => void) | undefined;
  /** The state of the run, as recorded. */
  state(runId: string): RunState;
  /** Prepares to continue a run that waits, if one of its questions has been answered. */
  continued(runId: string): Promise<Result<Prepared, Problem> | undefined>;
}

type Stop = { readonly type: 'interrupted'; readonly signal: string } | { readonly type: 'cancelled' };

export class CarriedRun {
  readonly id: string;
  readonly feed = new EventFeed();
  readonly ended: Promise<RunEnd>;
  readonly #carrying: Carrying;
  readonly #stop = new AbortController();
  /** What `onEvent` has returned and not finished. */
  readonly #listening = new Set<Promise<unknown>>();
  #begun: { readonly resolve: () => void; readonly reject: (problem: unknown) => void } | undefined;
  /** Settles when the run has begun: rejected if it cannot begin. */
  readonly begun: Promise<void>;

  constructor(prepared: Prepared, carrying: Carrying) {
    this.id = prepared.plan.runId;
    this.#carrying = carrying;
    this.begun = new Promise((resolve, reject) => {
      this.#begun = { resolve, reject };
    });
    if (prepared.plan.isCancelled === true) this.stop({ type: 'cancelled' });
    this.ended = this.#carryOut(prepared);
    // A caller that only awaits `begun` gets the rejection there.
    this.ended.catch(() => undefined);
    this.begun.catch(() => undefined);
  }

  stop(stop: Stop): void {
    this.#stop.abort(stop);
  }

  async #carryOut(first: Prepared): Promise<RunEnd> {
    try {
      for (let prepared = first; ; ) {
        const end = await this.#carryOnce(prepared);
        if (end.status !== 'waiting' || this.#stop.signal.aborted) return end;
        await Promise.allSettled([...this.#listening]);
        await this.feed.handled();
        const next = await this.#carrying.continued(this.id);
        if (next === undefined || this.#stop.signal.aborted) return end;
        if (next.type === 'error') throw refusal(next.error);
        prepared = next.value;
      }
    } catch (problem) {
      this.#begun?.reject(problem);
      throw problem;
    } finally {
      this.feed.end();
    }
  }

  async #carryOnce({ plan, history }: Prepared): Promise<RunEnd> {
    const { site, dist, onEvent, onProblem } = this.#carrying;
    const ended = await carryOut(plan, {
      ...{ site, dist, showsOutput: true, signal: this.#stop.signal },
      ...defined({ history }),
      onEvent: (event) => {
        this.#begun?.resolve();
        this.feed.push(event);
        this.#listen(onEvent?.(this.id, event));
      },
      onProblem: (problem) => onProblem?.(this.id, problem),
    });
    if (ended.type === 'error') throw refusal(ended.error);
    this.#begun?.resolve();
    return endOf(ended.value, this.#carrying.state(this.id));
  }

  #listen(returned: unknown): void {
    if (!(returned instanceof Promise)) return;
    const forget = () => void this.#listening.delete(returned);
    this.#listening.add(returned);
    returned.then(forget, forget);
  }
}
