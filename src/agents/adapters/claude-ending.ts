import type { Unfinished } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../model/json.ts';
import { objectOf, textOf } from '../fields.ts';

export interface ClaudeEnding {
  /** Processes a `system` event. */
  system(line: JsonObject): void;
  /** The agent continues, so earlier hook messages no longer apply. */
  continues(): void;
  /** Processes a `result` event that is not an error; `undefined` if the work is finished. */
  result(line: JsonObject): Unfinished | undefined;
}

/**
 * Why a conversation ended that the CLI reports as a success. Newer versions send `terminal_reason`; only `completed` means that the
 * work is finished. A hook's message is in a separate event; without it only the fact is known.
 */
export function createClaudeEnding(): ClaudeEnding {
  /** The prompt never reached the model. */
  let isBlocked = false;
  /** A hook asked the agent to continue; the CLI ends the turn anyway after some rounds. */
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
    continues() {
      isOverridden = false;
    },
    result(line) {
      const hook: Unfinished = { type: 'hook', ...defined({ words }) };
      const reason = textOf(line['terminal_reason']);
      const deferred = line['deferred_tool_use'];
      // Without a reason if the same call is deferred again.
      if (reason === 'tool_deferred' || line['stop_reason'] === 'tool_deferred' || isJsonObject(deferred)) {
        const { id, name, input } = objectOf(deferred);
        return {
          ...{ type: 'deferred', tool: textOf(name) ?? 'a tool' },
          ...defined({ id: textOf(id), input }),
        };
      }
      switch (reason) {
        case undefined:
          return isBlocked ? hook : undefined;
        case 'completed':
          return isOverridden ? hook : undefined;
        case 'hook_stopped':
        case 'stop_hook_prevented':
          return hook;
        default:
          return { type: 'other', reason };
      }
    },
  };
}

/** The message of a hook that stops the agent or sends it back, by its JSON or its exit code. */
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
