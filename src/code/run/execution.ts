/**
 * One run of a workflow in code, in this process: what all its scopes share, and how it stops.
 *
 * C4 A stop other than a cancellation leaves the open calls unsettled: the program simply does not continue. `ended` rejects instead, so
 *    that the engine can finish the run.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { FunctionTable } from '../../effects/run-function.ts';
import { isDivergence } from '../../engine/divergence.ts';
import type { AroundCall, StepOptions } from '../../engine/durable.ts';
import { type BranchStop, isStop, type Stop } from '../../engine/run-stop.ts';
import { defined } from '../../model/defined.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Ledger } from '../../steps/ledger.ts';
import type { EndedStep, SiteCall } from '../../steps/site.ts';
import type { CodeInput } from '../input.ts';
import { Cancelled } from '../written/errors.ts';
import type { Mistake } from './mistake.ts';
import type { ObservedReplay } from './observed-replay.ts';

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
  /** The one that calls it. */
  readonly by: Pick<Execution, 'input' | 'host' | 'signal' | 'replay'>;
}

export class Execution {
  readonly input: CodeInput;
  readonly host: CodeHost;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  /** The first wrong use of the context. */
  mistake: Mistake | undefined;
  /** What cancelled it: the calls after it are clean-up. */
  cancelledBy: Stop | BranchStop | undefined;
  /** Only over the journal: unrecorded calls are not answered, and nothing ends the run. */
  readonly replay: ObservedReplay | undefined;
  /** The last call that was made. */
  lastCall: { readonly key: StepKey; readonly madeAt: Error } | undefined;
  /** Rejects when the run stops, does not fit its journal or has crashed. */
  readonly ended: Promise<never>;
  /** The reason of `ended`. */
  endedBy: unknown;
  /** Nothing of it runs any more. */
  readonly release: () => void;
  #end: (reason: unknown) => void = () => {};

  constructor(given: {
    readonly input: CodeInput;
    readonly host: CodeHost;
    readonly ledger: Ledger;
    readonly signal: AbortSignal;
    readonly replay?: ObservedReplay | undefined;
  }) {
    this.input = given.input;
    this.host = given.host;
    this.ledger = given.ledger;
    this.signal = given.signal;
    this.replay = given.replay;
    this.ended = new Promise((_, reject) => {
      this.#end = (reason) => {
        this.endedBy ??= reason;
        reject(reason);
      };
    });
    this.ended.catch(() => {});
    // A program that waits for something of its own is stopped as well.
    const stopped = (): void => {
      if (!isCancellation(this.signal.reason)) this.#end(this.signal.reason);
    };
    if (this.signal.aborted) stopped();
    else this.signal.addEventListener('abort', stopped, { once: true });
    this.release = () => this.signal.removeEventListener('abort', stopped);
  }

  /** `madeAt`: where the call was made, if the mistake was found later. */
  noteMistake(mistake: Mistake, madeAt?: Error): void {
    if (madeAt?.stack !== undefined) mistake.stack = madeAt.stack;
    this.mistake ??= mistake;
  }

  /** Ends it, wherever its code is: with an error that nothing caught. */
  crash(problem: unknown): void {
    this.#end(problem);
  }

  get isCancelled(): boolean {
    return this.cancelledBy !== undefined;
  }

  /** The inputs of its steps are compared with those in the journal (C6). */
  compared(within?: AroundCall): Pick<StepOptions, 'compares'> {
    return { compares: defined({ since: this.input.acceptedAt, within }) };
  }

  /** Calls after a cancellation are clean-up. */
  durableOf(durable: OrchestrateDurable): OrchestrateDurable {
    return this.isCancelled ? durable.atEnd : durable;
  }

  /** What a call of the context rejects with, or never: C4. */
  rejection(problem: unknown): unknown | Promise<never> {
    if (isDivergence(problem) || (isStop(problem) && !isCancellation(problem))) {
      if (this.replay !== undefined) {
        this.replay.hasStopped = true;
        if (isDivergence(problem)) this.replay.divergence ??= problem;
      }
      if (this.replay === undefined || isDivergence(problem)) this.#end(problem);
      return new Promise<never>(() => {});
    }
    if (!isStop(problem)) return problem;
    this.cancelledBy = problem;
    return new Cancelled();
  }
}

/** Whether the run was cancelled, or the branch of a workflow file that called the program stopped: both leave time to clean up. */
function isCancellation(reason: unknown): boolean {
  return isStop(reason) && (reason.type === 'cancelled' || reason.type === 'branch-stopped');
}
