/**
 * Follows one agent call as it happens: events to whoever watches, the conversation's id to disk, and an end to what outlives
 * its result or its turns.
 */
import type { AgentEnded } from '../../agents/classify.ts';
import type { EventStream } from '../../agents/read-events.ts';
import { type AgentSummary, createSummary } from '../../agents/summary.ts';
import type { AgentEvent } from '../../model/agent.ts';

export interface WatchOptions {
  readonly events: EventStream;
  readonly hungAfterResultMs: number;
  /** Only where the CLI has no limit of its own. */
  readonly maxTurns?: number;
  seen(event: AgentEvent, summary: AgentSummary): void;
}

export interface Watch {
  /** Aborted, with an `AgentEnded` as its reason, when the call is to be ended. */
  readonly signal: AbortSignal;
  push(chunk: Buffer): void;
  /** After the end of the stream. */
  finish(): AgentSummary;
}

export function createWatch(options: WatchOptions): Watch {
  const { events, hungAfterResultMs, maxTurns } = options;
  const controller = new AbortController();
  const fold = createSummary();
  let hung: NodeJS.Timeout | undefined;

  function take(batch: readonly AgentEvent[]): void {
    for (const event of batch) {
      fold.add(event);
      const summary = fold.summary();
      options.seen(event, summary);
      clearTimeout(hung);
      if (summary.result !== undefined) {
        const ended: AgentEnded = { type: 'hung-after-result', afterMs: hungAfterResultMs };
        hung = setTimeout(() => controller.abort(ended), hungAfterResultMs);
      } else if (maxTurns !== undefined && summary.turns > maxTurns) {
        const ended: AgentEnded = { type: 'max-turns', limit: maxTurns };
        controller.abort(ended);
      }
    }
  }

  return {
    signal: controller.signal,
    push: (chunk) => take(events.push(chunk)),
    finish() {
      take(events.end());
      clearTimeout(hung);
      return fold.summary();
    },
  };
}
