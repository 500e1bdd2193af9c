import type { AgentDenial, AgentEvent, AgentResult, TokenUsage } from '../model/agent.ts';
import { defined } from '../model/defined.ts';
import type { JsonValue } from '../model/json.ts';
import { unreachable } from '../model/unreachable.ts';

/** Summary of a stream of events. */
export interface AgentSummary {
  readonly sessionId?: string;
  readonly model?: string;
  readonly version?: string;
  /** The last result, if only bookkeeping followed it. */
  readonly result?: AgentResult;
  readonly resetsAt?: string;
  /** The last event about the usage limit said that it is reached. */
  readonly limitReached: boolean;
  /** The agent said or did something. */
  readonly worked: boolean;
  readonly turns: number;
  /** Counted from its events, whatever its result says. */
  readonly ownTurns: number;
  /** Tool calls without a result, except those of subagents. */
  readonly pending: readonly PendingCall[];
  /** Events that the adapter understood. */
  readonly events: number;
  /** Tools that were denied and have not succeeded since. */
  readonly refused: readonly string[];
  /** Tools that have succeeded at least once. */
  readonly succeeded: readonly string[];
}

export interface PendingCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export interface SummaryFold {
  add(event: AgentEvent): void;
  summary(): AgentSummary;
}

/** `chosenId`: the id that the conversation was started with, if the CLI reports it late. */
export function createSummary(chosenId?: string): SummaryFold {
  let started: Extract<AgentEvent, { type: 'started' }> | undefined;
  let result: AgentResult | undefined;
  let limit: Extract<AgentEvent, { type: 'rate-limit' }> | undefined;
  let worked = false;
  let turns = 0;
  let inTurn = false;
  let events = 0;
  const tools = createToolOrder();
  const pending = new Map<string, PendingCall>();

  return {
    add(event) {
      if (event.type !== 'unrecognised') events += 1;
      switch (event.type) {
        case 'started':
          started = event;
          result = undefined;
          break;
        case 'text':
        case 'thinking':
        case 'tool-use':
          worked = true;
          result = undefined;
          if (!inTurn) turns += 1;
          inTurn = true;
          if (event.type === 'tool-use') tools.used(event.id, event.name);
          if (event.type === 'tool-use' && event.parentId === undefined) pending.set(event.id, event);
          break;
        case 'tool-result':
          inTurn = false;
          result = undefined;
          pending.delete(event.id);
          if (!event.isError) tools.worked(event.id);
          if (event.refused === true) tools.refuse(event.id);
          break;
        case 'rate-limit':
          limit = event;
          break;
        case 'result':
          inTurn = false;
          result = event.result;
          break;
        case 'todo':
        case 'retry':
        case 'usage':
        case 'unrecognised':
          break;
        default:
          unreachable(event);
      }
    },
    summary() {
      const limitReached = limit?.status === 'rejected';
      const sessionId = result?.sessionId ?? started?.sessionId ?? chosenId;
      return {
        ...defined({ sessionId, model: started?.model, version: started?.version, result }),
        ...(limitReached && limit?.resetsAt !== undefined ? { resetsAt: limit.resetsAt } : {}),
        limitReached,
        worked,
        turns: result?.turns ?? turns,
        ownTurns: turns,
        pending: [...pending.values()],
        events,
        refused: tools.refused(result),
        succeeded: tools.succeeded(),
      };
    },
  };
}

function createToolOrder(): {
  used(id: string, name: string): void;
  worked(id: string): void;
  refuse(id: string): void;
  /** From the result's own list and from single tool results. */
  refused(result: AgentResult | undefined): readonly string[];
  succeeded(): readonly string[];
} {
  const uses = new Map<string, { readonly name: string; readonly order: number }>();
  const lastWorked = new Map<string, number>();
  const refused: AgentDenial[] = [];
  return {
    used: (id, name) => uses.set(id, { name, order: uses.size }),
    worked(id) {
      const use = uses.get(id);
      if (use !== undefined) lastWorked.set(use.name, use.order);
    },
    refuse(id) {
      const use = uses.get(id);
      if (use !== undefined) refused.push({ tool: use.name, toolUseId: id });
    },
    refused(result) {
      const names = [...(result?.denials ?? []), ...refused].filter(({ tool, toolUseId }) => {
        const at = uses.get(toolUseId ?? '')?.order ?? Number.POSITIVE_INFINITY;
        return (lastWorked.get(tool) ?? -1) < at;
      });
      return [...new Set(names.map(({ tool }) => tool))];
    },
    succeeded: () => [...lastWorked.keys()],
  };
}

/** What one call added to a conversation, given its totals before and after. */
export function usageAdded(after: TokenUsage, before: TokenUsage): TokenUsage {
  return {
    inputTokens: Math.max(0, after.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, after.outputTokens - before.outputTokens),
    cacheReadTokens: Math.max(0, (after.cacheReadTokens ?? 0) - (before.cacheReadTokens ?? 0)),
    cacheWriteTokens: Math.max(0, (after.cacheWriteTokens ?? 0) - (before.cacheWriteTokens ?? 0)),
  };
}
