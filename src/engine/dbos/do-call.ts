/**
 * The calls that one worker carries out.
 *
 * A1 A worker begins a call by writing its own id into the row, and ends it only where that id still stands: the result of a worker that was
 *    given up is not recorded, and it begins nothing (H5 of `cluster/membership.ts`): it would take the call from the worker that has it now.
 * A2 A call that was cancelled is stopped, and ended when everything it started has ended.
 * A3 A call that is begun again says so, and that the cost of the lost start is unknown.
 * A4 No more calls of a label run at once than it has slots, also of those that are here because of what this machine has.
 * A5 A call whose worker has died too often is not begun again: its step fails as `worker-lost`. A worker that was stopped has not died.
 */
import { defined } from '../../model/defined.ts';
import { mayCost } from '../../model/effect.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput, Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';
import { uptimeMs } from '../../model/uptime.ts';
import { type Affinity, type BegunCall, partedFrom } from './affinity.ts';
import { type CallRequest, type CallResult, parseRequest } from './call-request.ts';
import { isOutage, type Pool, throughOutages } from './database.ts';
import { failedCall } from './failed-call.ts';
import { Slots } from './slots.ts';

export interface CallRow {
  readonly call_id: string;
  readonly run_id: string;
  readonly label: string;
  readonly starts: number;
  /** The worker that has what it continues, if that is another one. */
  readonly partedFrom?: string;
}

export interface CallSite extends Pick<Affinity, 'leaves'> {
  readonly pool: Pool;
  readonly executor: string;
  /** The worker's. */
  readonly name: string;
  readonly maxWorkerDeaths: number;
  /** How many calls of a label it does at once. */
  slots(label: string): number;
  /** Carries out the effect; resolves when nothing of it runs any more. */
  perform(call: CallRow, request: CallRequest, signal: AbortSignal): Promise<Performed>;
}

export interface Performed {
  readonly output: EffectOutput;
  /** For `Freight.receive`. */
  readonly freight?: JsonValue;
}

export class CallsHere {
  readonly #site: CallSite;
  readonly #slots: Slots;
  readonly #running = new Map<string, AbortController>();
  #isGivenBack = false;

  constructor(site: CallSite) {
    this.#site = site;
    this.#slots = new Slots(site.slots);
  }

  get running(): number {
    return this.#running.size;
  }

  /** Never rejects for what the effect did. False if another worker has the call. */
  async carryOut(callId: string): Promise<boolean> {
    const { pool, executor, name, maxWorkerDeaths } = this.#site;
    const begun = await throughOutages(() =>
      pool.query<
        CallRow &
          BegunCall & {
            readonly request: string;
            readonly is_cancelled: boolean;
            readonly age_ms: number;
            readonly given_back: number;
          }
      >(
        `with me as (select from orchestrate.workers where executor = $2 and dead_at is null for share), known as (
           select c.call_id as id, w.name as before
           from orchestrate.calls c left join orchestrate.workers w using (executor) where call_id = $1
         )
         update orchestrate.calls set executor = $2, started_at = now(),
           starts = case when executor is distinct from $2 then starts + 1 else starts end
         from known, me where call_id = known.id and ended_at is null
         returning call_id, run_id, label, starts, given_back, holder, known.before, request, cancelled_at is not null as is_cancelled,
           floor(extract(epoch from now() - created_at) * 1000)::float8 as age_ms`,
        [callId, executor],
      ),
    );
    const [row] = begun.rows;
    if (row === undefined) return this.#isOver(callId);
    const request = parseRequest(row.request);
    const { effect } = request;
    if (row.is_cancelled) return this.#end(callId, effect, undefined);
    // A5
    const deaths = row.starts - 1 - row.given_back;
    if (deaths >= maxWorkerDeaths) {
      const failure: Failure = { type: 'worker-lost', times: deaths };
      return this.#end(callId, effect, {
        type: 'output',
        output: withLostStarts(failedCall(failure), row, effect),
      });
    }
    const controller = new AbortController();
    this.#running.set(callId, controller);
    const begunAt = uptimeMs();
    let giveBack = (): void => {};
    try {
      giveBack = await this.#slots.take(row.label, controller.signal);
      const call = { ...row, ...defined({ partedFrom: partedFrom(row, name) }) };
      const result = await this.#perform(
        call,
        aged(request, row.age_ms + uptimeMs() - begunAt),
        controller.signal,
      );
      // Another worker begins it again.
      if (this.#isGivenBack) return false;
      // A3
      return await this.#end(
        callId,
        effect,
        result?.type === 'output'
          ? { ...result, output: saidAgain(withLostStarts(result.output, row, effect), row, name) }
          : result,
      );
    } finally {
      giveBack();
      this.#running.delete(callId);
    }
  }

  async #perform(call: CallRow, request: CallRequest, signal: AbortSignal): Promise<CallResult | undefined> {
    try {
      const performed = await this.#site.perform(call, request, signal);
      return signal.aborted ? undefined : { type: 'output', ...performed };
    } catch (problem) {
      if (signal.aborted) return undefined;
      const message = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
      return { type: 'bug', message };
    }
  }

  /** A1. A result that the database refuses ends the call as a bug: its run would wait for it for ever. */
  async #end(callId: string, effect: string, result: CallResult | undefined): Promise<boolean> {
    try {
      return await this.#record(callId, effect, result);
    } catch (problem) {
      if (result?.type !== 'output') throw problem;
      const reason = problem instanceof Error ? problem.message : String(problem);
      const message = `the database does not accept the result of this step: ${reason}`;
      return this.#record(callId, effect, { type: 'bug', message });
    }
  }

  async #record(callId: string, effect: string, result: CallResult | undefined): Promise<boolean> {
    const { pool, executor } = this.#site;
    const output = result?.type === 'output' ? result.output : undefined;
    const left = output === undefined ? undefined : this.#site.leaves(effect, output);
    const { rows } = await throughOutages(() =>
      pool.query<{ readonly executor: string | null }>(
        `with ended as (
           update orchestrate.calls set ended_at = now(), output = $3, leaves = $4
           where call_id = $1 and executor = $2 and ended_at is null returning run_id
         ), told as (select pg_notify('orchestrate', 'ended ' || run_id) from ended)
         select executor, (select count(*) from told) from orchestrate.calls where call_id = $1`,
        [callId, executor, result === undefined ? null : JSON.stringify(result), left ?? null],
      ),
    );
    const [row] = rows;
    // Without a row, its run was removed meanwhile.
    return row === undefined || row.executor === executor;
  }

  async #isOver(callId: string): Promise<boolean> {
    const { rows } = await throughOutages(() =>
      this.#site.pool.query('select from orchestrate.calls where call_id = $1 and ended_at is null', [
        callId,
      ]),
    );
    return rows.length === 0;
  }

  /** A2 */
  async stopCancelled(): Promise<void> {
    if (this.#running.size === 0) return;
    try {
      const { rows } = await this.#site.pool.query<{ readonly call_id: string }>(
        'select call_id from orchestrate.calls where executor = $1 and ended_at is null and cancelled_at is not null',
        [this.#site.executor],
      );
      for (const { call_id } of rows) this.#running.get(call_id)?.abort({ type: 'cancelled' });
    } catch (problem) {
      if (!isOutage(problem)) throw problem;
    }
  }

  /** Stops all of them, and records nothing: others get them. */
  giveBack(): void {
    this.#isGivenBack = true;
    for (const controller of this.#running.values()) controller.abort({ type: 'cancelled' });
  }
}

/** Time passes while a call waits for a worker, and until another one begins it again. */
function aged(request: CallRequest, ageMs: number): CallRequest {
  const { timeLeftMs, elapsedMs } = request;
  return {
    ...request,
    ...(timeLeftMs === undefined ? {} : { timeLeftMs: Math.max(1, timeLeftMs - ageMs) }),
    ...(elapsedMs === undefined ? {} : { elapsedMs: elapsedMs + ageMs }),
  };
}

/** A3 */
function withLostStarts(output: EffectOutput, { starts }: BegunCall, effect: string): EffectOutput {
  if (starts < 2 || !mayCost(effect)) return output;
  const lost: readonly Spent[] = Array.from({ length: starts - 1 }, () => ({ costUsd: null }));
  return {
    ...output,
    ...defined({ spent: sumSpent([...lost, ...(output.spent === undefined ? [] : [output.spent])]) }),
  };
}

function saidAgain(output: EffectOutput, { starts, before }: BegunCall, here: string): EffectOutput {
  if (starts < 2 || before === null) return output;
  const remark = `worker \`${before}\` ended while this ran there; started again on worker \`${here}\``;
  return { ...output, remarks: [remark, ...(output.remarks ?? [])] };
}
