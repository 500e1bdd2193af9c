import type { Unfinished } from '../../model/agent.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import { objectOf, present, textOf } from '../fields.ts';

export interface ClaudeEnding {
  /** Takes a `system` event. */
  system(line: JsonObject): void;
  /** The agent goes on: what hooks said before has been heeded. */
  goesOn(): void;
  /** Takes a `result` event that is no error; nothing where the work is finished. */
  result(line: JsonObject): Unfinished | undefined;
}

/**
 * Why a conversation ended that the CLI calls a success. `terminal_reason` says so where the version sends it; only `completed` is
 * an end of the work. What a hook said is in its own event; without it only the fact is known.
 */
export function createClaudeEnding(): ClaudeEnding {
  /** The prompt never reached the model. */
  let isBlocked = false;
  /** A hook wanted the agent to work on; the CLI ends the turn all the same after some rounds. */
  let isOverridden = false;
  let words: string | undefined;

  return {
    system(line) {
      if (line['subtype'] === 'hook_response') {
        const stop = stopIn(line);
        if (stop === undefined) return;
        words = stop.words ?? words;
        if (line['hook_event'] === 'Stop' && stop.type === 'block') isOverridden = true;
      } else if (line['prevent_continuation'] === true) {
        isBlocked = true;
        words = textOf(objectOf(line['prompt_submit_outcome'])['reason']) ?? words ?? textOf(line['content']);
      }
    },
    goesOn() {
      isOverridden = false;
    },
    result(line) {
      const hook: Unfinished = { type: 'hook', ...present('words', words) };
      const reason = textOf(line['terminal_reason']);
      switch (reason) {
        case undefined:
          return isBlocked ? hook : undefined;
        case 'completed':
          return isOverridden ? hook : undefined;
        case 'tool_deferred':
          return { type: 'deferred', tool: textOf(objectOf(line['deferred_tool_use'])['name']) ?? 'a tool' };
        case 'hook_stopped':
        case 'stop_hook_prevented':
          return hook;
        default:
          return { type: 'other', reason };
      }
    },
  };
}

/** What a hook answers to stop the agent or to send it back, by its JSON or its exit code. */
function stopIn(
  line: JsonObject,
): { readonly type: 'stop' | 'block'; readonly words: string | undefined } | undefined {
  if (line['exit_code'] === 2) return { type: 'block', words: trimmed(line['stderr']) };
  const answer = parseJsonObject(textOf(line['stdout']) ?? '') ?? {};
  if (answer['continue'] === false) return { type: 'stop', words: trimmed(answer['stopReason']) };
  if (answer['decision'] === 'block') return { type: 'block', words: trimmed(answer['reason']) };
  return undefined;
}

function trimmed(value: JsonObject[string]): string | undefined {
  const text = textOf(value)?.trim();
  return text === '' ? undefined : text;
}
