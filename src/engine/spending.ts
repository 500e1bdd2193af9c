/**
 * What the agent calls of a run cost, by day, agent and model: what `orchestrate costs` adds up without reading journals.
 *
 * C1 The rows add up to the totals of the run, without the calls that a fork reuses: the run that made them has paid for them.
 * C2 A replayed run costs nothing: its answers come from cassettes.
 * C3 A cost or a number of tokens that the agent does not report is counted, never taken for 0; so is that of a call that was interrupted.
 * C4 The model is the one that the agent reports when its step ends, also for earlier attempts; until then, the one it was asked to use.
 */
import { defined } from '../model/defined.ts';
import { mayCost } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { INTERRUPTED, isAttached } from '../model/open-calls.ts';
import type { Spent } from '../model/record.ts';
import type { CallState, RunState, SpendingState } from '../model/run-state.ts';
import { addCall, unknownUsesIn } from '../model/sum-spent.ts';

interface Call {
  readonly agent: string;
  readonly model?: string;
  /** When the attempt that is running started. */
  since?: string;
  /** The cost of its failed and interrupted attempts. */
  readonly attempts: { readonly at: string; readonly spent: Spent }[];
}

export class SpendingFold {
  readonly #ended = new Rows();
  /** Calls that have not ended. */
  readonly #open = new Map<StepKey, Call>();
  #isReplayed = false;

  /** The rows after the event, if it has changed them. */
  apply(event: RunEvent, startedAt: string): SpendingState[] | undefined {
    switch (event.type) {
      case 'run-started':
        this.#isReplayed = isReplay(event.input);
        return this.#isReplayed ? [] : undefined;
      case 'step-started':
        if (mayCost(event.effect)) {
          const call = this.#open.get(event.key) ?? callIn(event.input);
          call.since = event.at;
          this.#open.set(event.key, call);
        }
        return undefined;
      case 'run-ended':
      case 'run-resumed': {
        const interrupted = [...this.#open].filter(
          ([key, { since }]) => since !== undefined && !isAttached(event, key),
        );
        for (const [, call] of interrupted) {
          call.attempts.push({ at: call.since ?? event.at, spent: INTERRUPTED });
          delete call.since;
        }
        return interrupted.length === 0 || this.#isReplayed ? undefined : this.#rows();
      }
      case 'attempt-ended':
      case 'attempt-asked': {
        const { at, spent } = event;
        const call = this.#open.get(event.key) ?? { agent: '', attempts: [] };
        delete call.since;
        if (spent === undefined || this.#isReplayed) return undefined;
        this.#open.set(event.key, call);
        call.attempts.push({ at, spent });
        return this.#rows();
      }
      case 'step-ended': {
        const { output, at } = event;
        // Most steps are no agent calls.
        if (!this.#open.has(event.key) && isJsonObject(output) && output['spent'] === undefined)
          return undefined;
        const call = this.#open.get(event.key) ?? { agent: '', attempts: [] };
        this.#open.delete(event.key);
        const spent = isJsonObject(output) ? (output['spent'] as unknown as Spent | undefined) : undefined;
        // C1: a fork has the records of the other run, from before its own start. C2
        if (!isJsonObject(output) || this.#isReplayed || at < startedAt) return undefined;
        const all = [...call.attempts, ...(spent === undefined ? [] : [{ at, spent }])];
        if (all.length === 0) return undefined;
        // C4
        const model = textIn(output, 'model') ?? call.model;
        for (const each of all) this.#ended.add({ agent: call.agent, model }, each);
        return this.#rows();
      }
      default: // Partial: other events cost nothing.
        return undefined;
    }
  }

  /** The calls that are running. */
  get running(): { readonly [key: string]: CallState } {
    const running = [...this.#open].flatMap(([key, { agent, model, since }]) =>
      since === undefined ? [] : [[key, { agent, ...defined({ model }), started_at: since }] as const],
    );
    return Object.fromEntries(running);
  }

  #rows(): SpendingState[] {
    const rows = this.#ended.copy();
    for (const call of this.#open.values()) for (const each of call.attempts) rows.add(call, each);
    return rows.list();
  }
}

/** In the order of their first call. */
class Rows {
  readonly #rows = new Map<string, SpendingState>();

  add(
    { agent, model }: { readonly agent: string; readonly model?: string | undefined },
    { at, spent }: Call['attempts'][number],
  ): void {
    const day = at.slice(0, 10);
    const key = JSON.stringify([day, agent, model]);
    const row = this.#rows.get(key) ?? {
      ...{ day, agent, ...defined({ model }) },
      ...{ agent_calls: 0, cost_usd: 0, unknown_cost_calls: 0 },
      ...{ tokens: { input: 0, output: 0 }, unknown_token_calls: 0 },
    };
    this.#rows.set(key, row);
    addSpent(row, spent);
  }

  copy(): Rows {
    return Rows.of(this.list());
  }

  static of(rows: readonly SpendingState[]): Rows {
    const copy = new Rows();
    for (const row of rows) {
      const key = JSON.stringify([row.day, row.agent, row.model]);
      copy.#rows.set(key, { ...row, tokens: { ...row.tokens } });
    }
    return copy;
  }

  list(): SpendingState[] {
    return [...this.#rows.values()];
  }
}

/** C3 */
export function addSpent(sums: Omit<SpendingState, 'day' | 'agent' | 'model'>, spent: Spent): void {
  addCall(sums, spent);
  sums.unknown_token_calls += unknownUsesIn(spent);
  sums.tokens.input += spent.usage?.inputTokens ?? 0;
  sums.tokens.output += spent.usage?.outputTokens ?? 0;
}

/** What changes in a state whose process is gone: the agent calls that were running are interrupted. */
export function interruptedCalls(
  state: RunState,
): Pick<RunState, 'totals' | 'spending' | 'interrupted_calls'> {
  const { open_calls: calls = {}, spending, totals } = state;
  const sums = { ...totals, tokens: { ...totals.tokens } };
  const rows = Rows.of(spending ?? []);
  // C2: a replay has no rows, but a list of them.
  const isReplayed = spending?.length === 0;
  for (const call of Object.values(calls)) {
    addSpent(sums, INTERRUPTED);
    if (!isReplayed) rows.add(call, { at: call.started_at, spent: INTERRUPTED });
  }
  const list = rows.list();
  return {
    totals: sums,
    ...(spending === undefined && list.length === 0 ? {} : { spending: list }),
    ...(Object.keys(calls).length === 0 ? {} : { interrupted_calls: calls }),
  };
}

/** From the input of the call, which may be of another version of the program. */
function callIn(input: JsonValue): Call {
  if (!isJsonObject(input)) return { agent: '', attempts: [] };
  const { agent } = input;
  const name = isJsonObject(agent) ? (textIn(agent, 'name') ?? textIn(agent, 'adapter')) : undefined;
  const model = textIn(input, 'model');
  return { agent: name ?? '', ...defined({ model }), attempts: [] };
}

function isReplay(input: JsonValue): boolean {
  const cassette = isJsonObject(input) ? input['cassette'] : undefined;
  return isJsonObject(cassette) && cassette['type'] === 'replay';
}

function textIn(value: { readonly [key: string]: JsonValue | undefined }, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' ? text : undefined;
}
