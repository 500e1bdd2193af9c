import type { AgentEvent, AgentResult, Unfinished } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { listOf, numberOf, objectOf, textOf, todoStatusOf } from '../fields.ts';
import { resetTimeIn } from '../reset-time.ts';

/** Reads the events of `gemini -o stream-json`. */
export function createGeminiReader(): EventReader {
  /** The text since the last tool call, which becomes the final answer. */
  let said = '';
  /** Tool calls by id, and whether there was any activity. */
  const tools = new Map<string, string>();
  let hasWorked = false;
  /** The last warning of the CLI itself. */
  let complaint: string | undefined;
  let stopped: Unfinished | undefined;

  function unfinished(): Unfinished | undefined {
    if (stopped !== undefined || hasWorked) return stopped;
    // A hook that stops the agent before its first turn leaves no other trace.
    return { type: 'other', reason: complaint ?? 'success without any text or tool call' };
  }

  return {
    skim,
    read(line) {
      const type = textOf(line['type']) ?? '';
      switch (type) {
        case 'init':
          return [
            {
              type: 'started',
              ...defined({ sessionId: textOf(line['session_id']), model: textOf(line['model']) }),
            },
          ];
        case 'message': {
          const text = textOf(line['content']) ?? '';
          if (line['role'] !== 'assistant') return [];
          const delta = line['delta'] === true;
          hasWorked ||= text !== '';
          said = delta ? said + text : text;
          return [{ type: 'text', text, delta }];
        }
        case 'tool_use':
          said = '';
          hasWorked = true;
          tools.set(textOf(line['tool_id']) ?? '', textOf(line['tool_name']) ?? '');
          return readToolUse(line);
        case 'tool_result': {
          const error = objectOf(line['error']);
          if (error['type'] === 'stop_execution')
            stopped = { type: 'hook', ...defined({ words: textOf(error['message']) }) };
          return [readToolResult(line, tools.get(textOf(line['tool_id']) ?? '') ?? '')];
        }
        case 'error':
          complaint = textOf(line['message']);
          return [{ type: 'retry', message: complaint ?? '' }];
        case 'result': {
          const result = readResult(line, { said, complaint });
          return [
            {
              type: 'result',
              result: result.isError ? result : { ...result, ...defined({ unfinished: unfinished() }) },
            },
          ];
        }
        default:
          return [{ type: 'unrecognised', name: type }];
      }
    },
  };
}

function readToolUse(line: JsonObject): readonly AgentEvent[] {
  const name = textOf(line['tool_name']) ?? '';
  const input = line['parameters'] ?? null;
  const use: AgentEvent = { type: 'tool-use', id: textOf(line['tool_id']) ?? '', name, input };
  if (name !== 'write_todos') return [use];
  const items = listOf(objectOf(input)['todos']).map((value) => ({
    content: textOf(objectOf(value)['description']) ?? '',
    status: todoStatusOf(objectOf(value)['status']),
  }));
  return [use, { type: 'todo', items }];
}

function readToolResult(line: JsonObject, tool: string): AgentEvent {
  const error = objectOf(line['error']);
  return {
    type: 'tool-result',
    id: textOf(line['tool_id']) ?? '',
    isError: line['status'] === 'error',
    content: textOf(line['output']) ?? textOf(error['message']) ?? '',
    ...(isRefusal(textOf(error['type']), tool) ? { refused: true } : {}),
  };
}

/** Its own tools that change files or access the network; without permission they are not offered at all. */
const TAKEN_AWAY = new Set([
  'write_file',
  'replace',
  'run_shell_command',
  'web_fetch',
  'google_web_search',
  'activate_skill',
  'invoke_agent',
]);

/** An unknown tool was invented by the model, which is not a denial. */
function isRefusal(errorType: string | undefined, tool: string): boolean {
  if (errorType === 'policy_violation') return true;
  return errorType === 'tool_not_registered' && (TAKEN_AWAY.has(tool) || tool.startsWith('mcp_'));
}

function readResult(
  line: JsonObject,
  { said, complaint }: { readonly said: string; readonly complaint: string | undefined },
): AgentResult {
  const stats = objectOf(line['stats']);
  const error = objectOf(line['error']);
  const isError = line['status'] !== 'success';
  const message = textOf(error['message']) ?? (isError ? complaint : undefined);
  const inputTokens = numberOf(stats['input_tokens']);
  return {
    isError,
    subtype: textOf(line['status']) ?? '',
    text: said,
    ...(message === undefined ? {} : { errors: [message] }),
    ...(isError
      ? defined({
          errorType: apiReason(message) ?? textOf(error['type']),
          resetsAt: resetTimeIn(message ?? ''),
        })
      : {}),
    costUsd: null,
    ...(inputTokens === undefined
      ? {}
      : {
          usage: {
            inputTokens,
            outputTokens: numberOf(stats['output_tokens']) ?? 0,
            cacheReadTokens: numberOf(stats['cached']) ?? 0,
          },
        }),
  };
}

/** The API's own answer, which the CLI quotes in full: `[API Error: {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}]`. */
function apiReason(message: string | undefined): string | undefined {
  const quoted = /^\[API Error: (\{.*\})\]$/s.exec(message ?? '')?.[1];
  if (quoted === undefined) return undefined;
  try {
    const answer: unknown = parseJson(quoted);
    if (!isJsonObject(answer)) return undefined;
    for (const detail of listOf(objectOf(answer['error'])['details'])) {
      const reason = textOf(objectOf(detail)['reason']);
      if (reason !== undefined) return reason;
    }
  } catch {
    // Not quoted in full.
  }
  return undefined;
}

const TOOL_RESULT_LINE = Buffer.from('{"type":"tool_result",');
const ID_KEY = Buffer.from('"tool_id":"');
const ERROR_STATUS = Buffer.from('"status":"error"');
const HEAD_BYTES = 512;

function skim(bytes: Buffer): AgentEvent | undefined {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!head.subarray(0, TOOL_RESULT_LINE.length).equals(TOOL_RESULT_LINE)) return undefined;
  const key = head.indexOf(ID_KEY);
  const start = key + ID_KEY.length;
  const end = head.indexOf('"', start);
  if (key === -1 || end === -1) return undefined;
  // The reason of a failure may matter.
  if (bytes.includes(ERROR_STATUS)) return undefined;
  return {
    type: 'tool-result',
    id: head.toString('latin1', start, end),
    isError: false,
    content: '',
    omittedBytes: bytes.length,
  };
}
