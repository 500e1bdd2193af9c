/**
 * The calls of a run that workers carry out, as the run's owner sees them.
 *
 * C1 The id of a call follows from run, step and attempt, so a new owner finds the call of an earlier one: it waits for its result instead of
 *    starting it again. A cancelled call is never waited for; the attempt gets a new id.
 * C2 The row of a call and its place in a queue are created in one transaction.
 * C3 A call is cancelled when its step is stopped, and its end is waited for: nothing of it runs when clean-up starts. If the run was taken
 *    over, its calls belong to the new owner and are left alone.
 * C4 A call that continues what is on the machine of a worker goes to that one while it lives (`affinity.ts`).
 * C5 One query asks for all open calls of the run, however many there are.
 */
import { relative } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import type { Effect, EffectContext } from '../durable.ts';
import { isStop } from '../run-stop.ts';
import { type Affinity, type Holder, holderOf } from './affinity.ts';
import { type CallRequest, type CallResult, parseResult } from './call-request.ts';
import { type Carrier, DEFAULT_LABEL, type FilesBy, labelOfName, queueOfLabel } from './carrier.ts';
import { inTransaction, isOutage, type Pool, throughOutages } from './database.ts';
import { failedCall } from './failed-call.ts';
import type { Freight } from './freight.ts';
import { TAKEN_OVER } from './row-journal.ts';

export interface RemoteSite {
  readonly pool: Pool;
  readonly carrier: Carrier;
  readonly runId: string;
  readonly version: string;
  /** How often the results of open calls are asked for, besides being told. */
  readonly pollMs: number;
  readonly freight?: Freight;
  readonly affinity: Affinity;
  readonly filesBy: FilesBy;
}

interface Open {
  settle(result: CallResult | undefined): void;
  fail(problem: unknown): void;
}

export class RemoteCalls {
  readonly #site: RemoteSite;
  /** `<key>~<attempt>` → the call, and how many were cancelled before it. */
  readonly #known = new Map<
    string,
    { readonly callId: string; readonly isCancelled: boolean; readonly nth: number }
  >();
  readonly #open = new Map<string, Open>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** What was asked for during a look may have happened after the database answered it. */
  #looksAgain = false;

  constructor(site: RemoteSite) {
    this.#site = site;
  }

  /** Finds the calls of earlier owners. */
  async load(): Promise<void> {
    const { rows } = await this.#site.pool.query<{
      readonly call_id: string;
      readonly key: string;
      readonly attempt: number;
      readonly is_cancelled: boolean;
    }>(
      `select call_id, key, attempt, cancelled_at is not null as is_cancelled
       from orchestrate.calls where run_id = $1 order by created_at`,
      [this.#site.runId],
    );
    for (const { call_id, key, attempt, is_cancelled } of rows) {
      const name = `${key}~${attempt}`;
      const nth = (this.#known.get(name)?.nth ?? -1) + 1;
      this.#known.set(name, { callId: call_id, isCancelled: is_cancelled, nth });
    }
  }

  isStillRunning = (key: StepKey, attempt: number): boolean =>
    this.#known.get(`${key}~${attempt}`)?.isCancelled === false;

  /** The same effect, carried out by a worker. */
  effect(name: string): Effect<never, EffectOutput> {
    return (input, context) => this.#call(name, input as JsonValue, context);
  }

  /** Something has ended. */
  wake(): void {
    if (this.#open.size > 0) void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#open.clear();
  }

  async #call(effect: string, input: JsonValue, context: EffectContext): Promise<EffectOutput> {
    const { key, attempt, signal, timeLeftMs, elapsedMs, asked, worker = DEFAULT_LABEL, run } = context;
    const folder = run.home === undefined ? undefined : relative(run.directory, run.workspace);
    const callId = this.#idOf(key, attempt);
    const { freight } = this.#site;
    const holder = await this.#holderOf(callId, { effect, input, context });
    const sent = await freight?.send(callId, { input, context, ...defined({ holder }) });
    signal.throwIfAborted();
    if (sent?.type === 'error') return failedCall(sent.error);
    const request: CallRequest = {
      ...{ effect, input, key, attempt },
      ...defined({ timeLeftMs, elapsedMs, asked, folder, freight: sent?.value }),
    };
    // A stop does not end this: without a confirmation, a worker may have the call already, and it has to be cancelled (C3).
    await throughOutages(async () => {
      if (isTakenOver(signal.reason)) throw signal.reason;
      await this.#enqueue(callId, { label: worker, holder }, request);
    });
    const result = await this.#result(callId, signal);
    if (result === undefined)
      throw signal.aborted ? signal.reason : new Error(`call \`${callId}\` was cancelled`);
    if (result.type === 'bug') throw new Error(result.message);
    const { output } = result;
    if (freight === undefined || sent === undefined) return output;
    const failure = await freight.receive(callId, {
      ...{ sent: sent.value, back: result.freight, context },
    });
    return failure === undefined ? output : { ...output, ...failedCall(failure) };
  }

  /** C1 */
  #idOf(key: StepKey, attempt: number): string {
    const name = `${key}~${attempt}`;
    const known = this.#known.get(name);
    if (known?.isCancelled === false) return known.callId;
    const nth = known === undefined ? 0 : known.nth + 1;
    const callId = `${this.#site.runId}/${name}${nth === 0 ? '' : `.${nth}`}`;
    this.#known.set(name, { callId, isCancelled: false, nth });
    return callId;
  }

  /** C4 */
  async #holderOf(
    callId: string,
    {
      effect,
      input,
      context,
    }: { readonly effect: string; readonly input: JsonValue; readonly context: EffectContext },
  ): Promise<Holder | undefined> {
    const { pool, runId, version, filesBy, affinity } = this.#site;
    const { key, attempt, worker: label = DEFAULT_LABEL, signal } = context;
    const needs = affinity.needs(effect, input);
    const isFirst = attempt === 1 && callId === `${runId}/${key}~1`;
    const continuesItself = !isFirst && affinity.continuesItself(effect);
    if (needs === undefined && !continuesItself) return undefined;
    const call = { callId, runId, key, label, version, filesBy, needs, continuesItself };
    return throughOutages(() => holderOf(pool, call), signal);
  }

  /** C2 */
  async #enqueue(
    callId: string,
    { label, holder }: { readonly label: string; readonly holder: Holder | undefined },
    request: CallRequest,
  ): Promise<void> {
    const { pool, carrier, runId, version, filesBy } = this.#site;
    const queue = queueOfLabel(holder?.isThere === true ? labelOfName(holder.name) : label, filesBy);
    await inTransaction(pool, async (rows) => {
      const { rowCount } = await rows.query(
        `insert into orchestrate.calls (call_id, run_id, key, attempt, label, effect, request, holder)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (call_id) do nothing`,
        [
          ...[callId, runId, request.key, request.attempt, label, request.effect, JSON.stringify(request)],
          holder?.name ?? null,
        ],
      );
      if (rowCount === 0) return;
      await carrier.enqueue(rows, { type: 'call', id: callId, queue, version });
    });
  }

  #result(callId: string, signal: AbortSignal): Promise<CallResult | undefined> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        // C3
        if (isTakenOver(signal.reason)) {
          this.#open.delete(callId);
          reject(signal.reason);
          return;
        }
        this.#cancel(callId).catch(reject);
      };
      this.#open.set(callId, {
        settle: (result) => {
          signal.removeEventListener('abort', stop);
          this.#open.delete(callId);
          resolve(signal.aborted ? undefined : result);
        },
        fail: reject,
      });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      this.#timer ??= setInterval(() => this.wake(), this.#site.pollMs);
      void this.#look();
    });
  }

  /** One that no worker has begun ends at once. */
  async #cancel(callId: string): Promise<void> {
    await throughOutages(() =>
      this.#site.pool.query(
        `with cancelled as (
           update orchestrate.calls
           set cancelled_at = now(), ended_at = case when executor is null then now() end
           where call_id = $1 and ended_at is null returning executor
         ) select pg_notify('orchestrate', 'cancel ' || coalesce(executor, '')) from cancelled`,
        [callId],
      ),
    );
    for (const [name, known] of this.#known)
      if (known.callId === callId) this.#known.set(name, { ...known, isCancelled: true });
    await this.#look();
  }

  /** C5 */
  async #look(): Promise<void> {
    this.#looksAgain = true;
    this.#looking ??= this.#lookUntilNothingNew().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookUntilNothingNew(): Promise<void> {
    while (this.#looksAgain) {
      this.#looksAgain = false;
      await this.#lookOnce();
    }
  }

  async #lookOnce(): Promise<void> {
    if (this.#open.size === 0) return;
    try {
      const { rows } = await this.#site.pool.query<{
        readonly call_id: string;
        readonly output: string | null;
      }>('select call_id, output from orchestrate.calls where call_id = any($1) and ended_at is not null', [
        [...this.#open.keys()],
      ]);
      for (const { call_id, output } of rows) this.#open.get(call_id)?.settle(parseResult(output));
    } catch (problem) {
      if (isOutage(problem)) return;
      for (const { fail } of this.#open.values()) fail(problem);
    }
  }
}

function isTakenOver(reason: unknown): boolean {
  return (
    isStop(reason) &&
    reason.type === 'journal-failed' &&
    reason.failure.type === 'file' &&
    reason.failure.code === TAKEN_OVER
  );
}
