/**
 * What the agent calls of a run cost, by day, agent and model: what `orchestrate costs` adds up without reading journals.
 *
 * C1 The rows add up to the totals of the run, without the calls that a fork reuses: the run that made them has paid for them.
 * C2 A replayed run costs nothing: its answers come from cassettes.
 * C3 A cost that the agent does not report is counted, never taken for 0.
 * C4 The model is the one that the agent reports when its step ends, also for earlier attempts; until then, the one it was asked to use.
 */
import type { RunEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { Spent } from '../model/record.ts';
import type { SpendingState } from '../model/run-state.ts';

interface Call {
  readonly agent: string;
  readonly model?: string;
  /** The cost of its failed attempts. */
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
        if (event.effect === 'run-agent' && !this.#open.has(event.key))
          this.#open.set(event.key, callIn(event.input));
        return undefined;
      case 'attempt-ended': {
        const { at, spent } = event;
        if (spent === undefined || this.#isReplayed) return undefined;
        const call = this.#open.get(event.key) ?? { agent: '', attempts: [] };
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
      ...{ day, agent, ...(model === undefined ? {} : { model }) },
      ...{ agent_calls: 0, cost_usd: 0, unknown_cost_calls: 0, tokens: { input: 0, output: 0 } },
    };
    this.#rows.set(key, row);
    row.agent_calls += 1;
    // C3
    if (spent.costUsd === null) row.unknown_cost_calls += 1;
    else row.cost_usd += spent.costUsd;
    row.tokens.input += spent.usage?.inputTokens ?? 0;
    row.tokens.output += spent.usage?.outputTokens ?? 0;
  }

  copy(): Rows {
    const copy = new Rows();
    for (const [key, row] of this.#rows) copy.#rows.set(key, { ...row, tokens: { ...row.tokens } });
    return copy;
  }

  list(): SpendingState[] {
    return [...this.#rows.values()];
  }
}

/** From the input of the call, which may be of another version of the program. */
function callIn(input: JsonValue): Call {
  if (!isJsonObject(input)) return { agent: '', attempts: [] };
  const { agent } = input;
  const name = isJsonObject(agent) ? (textIn(agent, 'name') ?? textIn(agent, 'adapter')) : undefined;
  const model = textIn(input, 'model');
  return { agent: name ?? '', ...(model === undefined ? {} : { model }), attempts: [] };
}

function isReplay(input: JsonValue): boolean {
  const cassette = isJsonObject(input) ? input['cassette'] : undefined;
  return isJsonObject(cassette) && cassette['type'] === 'replay';
}

function textIn(value: { readonly [key: string]: JsonValue | undefined }, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' ? text : undefined;
}
