import type { AgentEvent, AgentResult } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { listOf, numberOf, objectOf, textOf } from '../fields.ts';
import { clockTimeIn, resetTimeIn } from '../reset-time.ts';

/** Reads the events of `codex exec --json`. `now` is needed because it reports the end of a limit as a time of day. */
export function createCodexReader(now: () => Date = () => new Date()): EventReader {
  let lastMessage = '';
  const announced = new Set<string>();

  function readItem(phase: string, item: JsonObject): readonly AgentEvent[] {
    const id = textOf(item['id']) ?? '';
    const type = textOf(item['type']) ?? '';
    switch (type) {
      case 'agent_message': {
        if (phase !== 'completed') return [];
        lastMessage = textOf(item['text']) ?? '';
        return [{ type: 'text', text: lastMessage, delta: false }];
      }
      case 'reasoning':
        return phase === 'completed' ? [{ type: 'thinking', text: textOf(item['text']) ?? '' }] : [];
      case 'todo_list':
        return [{ type: 'todo', items: listOf(item['items']).map(readTodo) }];
      case 'error':
        return [{ type: 'unrecognised', name: `error: ${textOf(item['message']) ?? ''}` }];
      default: {
        const use = toolUse(id, item);
        if (use === undefined) return [{ type: 'unrecognised', name: `item/${type}` }];
        const events: AgentEvent[] = announced.has(id) ? [] : [use];
        announced.add(id);
        if (phase === 'completed') events.push(toolResult(id, item));
        return events;
      }
    }
  }

  return {
    skim,
    read(line) {
      const type = textOf(line['type']) ?? '';
      switch (type) {
        case 'thread.started':
          return [{ type: 'started', ...defined({ sessionId: textOf(line['thread_id']) }) }];
        case 'turn.started':
          return [];
        case 'item.started':
        case 'item.updated':
        case 'item.completed':
          return readItem(type.slice('item.'.length), objectOf(line['item']));
        case 'turn.completed':
          return [{ type: 'result', result: completed(objectOf(line['usage']), lastMessage) }];
        case 'turn.failed':
          return [
            { type: 'result', result: failed(textOf(objectOf(line['error'])['message']) ?? '', now()) },
          ];
        // On its own it may only announce a reconnection; `turn.failed` follows if it was more.
        case 'error':
          return [{ type: 'retry', message: textOf(line['message']) ?? '' }];
        default:
          return [{ type: 'unrecognised', name: type }];
      }
    },
  };
}

function readTodo(value: unknown): { content: string; status: 'completed' | 'pending' } {
  const item = isJsonObject(value) ? value : {};
  return {
    content: textOf(item['text']) ?? '',
    status: item['completed'] === true ? 'completed' : 'pending',
  };
}

function toolUse(id: string, item: JsonObject): AgentEvent | undefined {
  switch (item['type']) {
    case 'command_execution':
      return { type: 'tool-use', id, name: 'shell', input: { command: textOf(item['command']) ?? '' } };
    case 'file_change':
      return { type: 'tool-use', id, name: 'apply_patch', input: { changes: listOf(item['changes']) } };
    case 'mcp_tool_call': {
      const name = `${textOf(item['server']) ?? 'mcp'}.${textOf(item['tool']) ?? 'tool'}`;
      return { type: 'tool-use', id, name, input: item['arguments'] ?? null };
    }
    // A subagent is started, messaged or waited for.
    case 'collab_tool_call':
      return {
        ...{ type: 'tool-use', id, name: textOf(item['tool']) ?? 'collab' },
        input: { prompt: item['prompt'] ?? null, agents: listOf(item['receiver_thread_ids']) },
      };
    case 'web_search':
      return { type: 'tool-use', id, name: 'web_search', input: { query: textOf(item['query']) ?? '' } };
    default:
      return undefined;
  }
}

function toolResult(id: string, item: JsonObject): AgentEvent {
  const exitCode = numberOf(item['exit_code']);
  return {
    type: 'tool-result',
    id,
    isError: isFailed(item['status'], exitCode),
    content: textOf(item['aggregated_output']) ?? '',
    ...defined({ exitCode }),
    ...(item['status'] === 'declined' ? { refused: true } : {}),
  };
}

function isFailed(status: JsonValue | undefined, exitCode: number | undefined): boolean {
  return status === 'failed' || status === 'declined' || (exitCode !== undefined && exitCode !== 0);
}

function completed(usage: JsonObject, text: string): AgentResult {
  const inputTokens = numberOf(usage['input_tokens']);
  return {
    isError: false,
    subtype: 'turn.completed',
    text,
    costUsd: null,
    ...(inputTokens === undefined
      ? {}
      : {
          usage: {
            inputTokens,
            outputTokens: numberOf(usage['output_tokens']) ?? 0,
            cacheReadTokens: numberOf(usage['cached_input_tokens']) ?? 0,
            cacheWriteTokens: numberOf(usage['cache_write_input_tokens']) ?? 0,
          },
          usageOfConversation: true,
        }),
  };
}

/** Start of the CLI's message for a failed turn with a known HTTP status. */
const STATUS = /^(?:exceeded retry limit, last status:|unexpected status) (\d{3})\b/;
/** The CLI's own sentences for errors that have no other name. Each is the start of the message. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^You.ve hit your usage limit\b/, 'usage_limit_reached'],
  [/^rate limit exceeded: /, 'rate_limit'],
  [/^Quota exceeded\. Check your plan and billing details\./, 'billing_error'],
  [/^To use Codex with your ChatGPT plan, upgrade to /, 'billing_error'],
  [/^Selected model is at capacity\./, 'overloaded'],
  [/^Codex ran out of room in the model's context window\./, 'invalid_request'],
  [/^Invalid prompt$/, 'invalid_request'],
  [/^Missing environment variable: /, 'authentication_failed'],
];

function failed(message: string, now: Date): AgentResult {
  const status = STATUS.exec(message)?.[1];
  return {
    isError: true,
    subtype: 'turn.failed',
    text: '',
    errors: [message],
    ...defined({
      apiStatus: status === undefined ? undefined : Number(status),
      errorType: errorType(message),
      resetsAt: resetTimeIn(message) ?? clockTimeIn(message, now),
    }),
    costUsd: null,
  };
}

function errorType(message: string): string | undefined {
  const named = NAMED.find(([beginning]) => beginning.test(message));
  if (named !== undefined) return named[1];
  // The body of a rejected request is passed on as the message.
  return textOf(objectOf(parseJsonObject(message)?.['error'])['type']);
}

const COMPLETED = /^\{"type":"item\.completed","item":\{"id":"([^"\\]+)","type":"command_execution",/;
const EXIT_CODE = /"exit_code":(\d+|null),"status":"([a-z_]+)"\}\}$/;

function skim(bytes: Buffer): AgentEvent | undefined {
  const id = COMPLETED.exec(bytes.toString('latin1', 0, 200))?.[1];
  const end = EXIT_CODE.exec(bytes.toString('latin1', Math.max(0, bytes.length - 100)));
  if (id === undefined || end === null) return undefined;
  const exitCode = end[1] === 'null' ? undefined : Number(end[1]);
  return {
    type: 'tool-result',
    id,
    isError: isFailed(end[2], exitCode),
    content: '',
    omittedBytes: bytes.length,
    ...defined({ exitCode }),
    ...(end[2] === 'declined' ? { refused: true } : {}),
  };
}
