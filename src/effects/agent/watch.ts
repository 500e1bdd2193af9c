/**
 * Follows one agent call: passes events on, saves the conversation's id, and stops an agent that outlives
 * its result or its turns.
 */
import type { AgentEnded } from '../../agents/classify.ts';
import type { EventStream } from '../../agents/read-events.ts';
import { type AgentSummary, createSummary } from '../../agents/summary.ts';
import type { AgentEvent } from '../../model/agent.ts';

export interface WatchOptions {
  readonly events: EventStream;
  readonly hungAfterResultMs: number;
  /** Only if the CLI has no limit of its own. */
  readonly maxTurns?: number;
  /** It must start with the hooks of the call. */
  readonly mustBeGuarded?: boolean;
  /** The id that the conversation was started with. */
  readonly sessionId?: string;
  seen(event: AgentEvent, summary: AgentSummary): void;
}

export interface Watch {
  /** Aborted, with an `AgentEnded` as its reason, to stop the call. */
  readonly signal: AbortSignal;
  push(chunk: Buffer): void;
  /** Called after the end of the stream. */
  finish(): AgentSummary;
}

export function createWatch(options: WatchOptions): Watch {
  const { events, hungAfterResultMs, maxTurns } = options;
  const controller = new AbortController();
  const fold = createSummary(options.sessionId);
  let hung: NodeJS.Timeout | undefined;
  let summary = fold.summary();

  function take(batch: readonly AgentEvent[]): void {
    for (const event of batch) {
      // Before the first answer of the model, so before any tool is called.
      if (event.type === 'started' && options.mustBeGuarded === true && event.isGuarded !== true)
        controller.abort({ type: 'unguarded' } satisfies AgentEnded);
      fold.add(event);
      // These change nothing, and a stream may contain millions of them.
      if (event.type !== 'unrecognised') follow(fold.summary());
      options.seen(event, summary);
    }
  }

  function follow(now: AgentSummary): void {
    const before = summary;
    summary = now;
    // Counted from the result: later output that does not revoke it is not a sign that the agent will end.
    if (now.result !== before.result) {
      clearTimeout(hung);
      const ended: AgentEnded = { type: 'hung-after-result', afterMs: hungAfterResultMs };
      if (now.result !== undefined) hung = setTimeout(() => controller.abort(ended), hungAfterResultMs);
    }
    if (now.result === undefined && maxTurns !== undefined && now.turns > maxTurns) {
      const ended: AgentEnded = { type: 'max-turns', limit: maxTurns };
      controller.abort(ended);
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
