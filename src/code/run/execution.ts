/**
 * One run of a workflow in code, in this process: what all its scopes share, and how it stops.
 *
 * C4 A stop other than a cancellation leaves the open calls unsettled: the program simply does not continue. `ended` rejects instead, so
 *    that the engine can finish the run.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { FunctionTable } from '../../effects/run-function.ts';
import { type Divergence, isDivergence } from '../../engine/divergence.ts';
import { isStop } from '../../engine/run-stop.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Ledger } from '../../steps/ledger.ts';
import type { EndedStep, SiteCall } from '../../steps/site.ts';
import type { CodeInput } from '../input.ts';
import { Cancelled } from '../written/errors.ts';
import type { Mistake } from './mistake.ts';

/** What a run needs from its host. */
export interface CodeHost {
  /** Bodies of `do`, by their whole keys, for the effect `run-function`. */
  readonly functions: FunctionTable;
  /** Masks the values of these environment variables from now on. */
  maskSecrets?(names: readonly string[]): void;
  /** Runs a workflow file as part of this run. */
  callFile?(call: SiteCall, asked: FileCalled): Promise<EndedStep>;
}

export interface FileCalled {
  readonly file: string;
  readonly context: JsonObject;
  readonly input: CodeInput;
}

export class Execution {
  readonly input: CodeInput;
  readonly host: CodeHost;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  /** The first wrong use of the context. */
  mistake: Mistake | undefined;
  /** In the order in which they were made: whole keys by scope. */
  readonly asked = new Map<string, StepKey[]>();
  isCancelled = false;
  /** Only over the journal: unrecorded calls are not answered, and nothing ends the run. */
  readonly isReplay: boolean;
  /** In a replay: calls that returned. */
  readonly answered = new Set<StepKey>();
  /** In a replay: where each call was made. */
  readonly stacks = new Map<StepKey, string>();
  /** Scopes of the program that run or have run. */
  readonly scopes: { readonly isBusy: boolean }[] = [];
  /** In a replay: a call was not answered. */
  hasStopped = false;
  /** The first call that does not fit the journal. */
  divergence: Divergence | undefined;
  /** Keys whose inside belongs to a workflow file. */
  readonly foreign = new Set<StepKey>();
  /** Rejects when the run stops or does not fit its journal. */
  readonly ended: Promise<never>;
  #end: (reason: unknown) => void = () => {};

  constructor(given: {
    readonly input: CodeInput;
    readonly host: CodeHost;
    readonly ledger: Ledger;
    readonly signal: AbortSignal;
    readonly isReplay?: boolean;
  }) {
    this.input = given.input;
    this.host = given.host;
    this.ledger = given.ledger;
    this.signal = given.signal;
    this.isReplay = given.isReplay === true;
    this.ended = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.ended.catch(() => {});
    // A program that waits for something of its own is stopped as well.
    const stopped = (): void => {
      if (!isCancellation(this.signal.reason)) this.#end(this.signal.reason);
    };
    if (this.signal.aborted) stopped();
    else this.signal.addEventListener('abort', stopped, { once: true });
  }

  /** `madeAt`: where the call was made, if the mistake was found later. */
  noteMistake(mistake: Mistake, madeAt?: Error): void {
    if (madeAt?.stack !== undefined) mistake.stack = madeAt.stack;
    this.mistake ??= mistake;
  }

  /** Calls after a cancellation are clean-up. */
  durableOf(durable: OrchestrateDurable): OrchestrateDurable {
    return this.isCancelled ? durable.atEnd : durable;
  }

  /** What a call of the context rejects with, or never: C4. */
  rejection(problem: unknown): unknown | Promise<never> {
    if (isDivergence(problem) || (isStop(problem) && !isCancellation(problem))) {
      this.hasStopped = true;
      if (isDivergence(problem)) this.divergence ??= problem;
      if (!this.isReplay || isDivergence(problem)) this.#end(problem);
      return new Promise<never>(() => {});
    }
    if (!isStop(problem)) return problem;
    this.isCancelled = true;
    return new Cancelled();
  }
}

function isCancellation(reason: unknown): boolean {
  return isStop(reason) && reason.type === 'cancelled';
}
