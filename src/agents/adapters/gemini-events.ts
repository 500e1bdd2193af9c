import type { AgentEvent, AgentResult } from '../../model/agent.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { listOf, numberOf, objectOf, present, textOf, todoStatusOf } from '../fields.ts';

/** The events of `gemini -o stream-json`. */
export function createGeminiReader(): EventReader {
  /** What was said since the last tool call: the final answer, once the end comes. */
  let said = '';
  return {
    skim,
    read(line) {
      const type = textOf(line['type']) ?? '';
      switch (type) {
        case 'init':
          return [
            {
              type: 'started',
              ...present('sessionId', textOf(line['session_id'])),
              ...present('model', textOf(line['model'])),
            },
          ];
        case 'message': {
          const text = textOf(line['content']) ?? '';
          if (line['role'] !== 'assistant') return [];
          const delta = line['delta'] === true;
          said = delta ? said + text : text;
          return [{ type: 'text', text, delta }];
        }
        case 'tool_use':
          said = '';
          return readToolUse(line);
        case 'tool_result':
          return [readToolResult(line)];
        case 'error':
          return [{ type: 'retry', message: textOf(line['message']) ?? '' }];
        case 'result':
          return [{ type: 'result', result: readResult(line, said) }];
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

function readToolResult(line: JsonObject): AgentEvent {
  return {
    type: 'tool-result',
    id: textOf(line['tool_id']) ?? '',
    isError: line['status'] === 'error',
    content: textOf(line['output']) ?? textOf(objectOf(line['error'])['message']) ?? '',
  };
}

function readResult(line: JsonObject, said: string): AgentResult {
  const stats = objectOf(line['stats']);
  const error = objectOf(line['error']);
  const isError = line['status'] !== 'success';
  const message = textOf(error['message']);
  const inputTokens = numberOf(stats['input_tokens']);
  return {
    isError,
    subtype: textOf(line['status']) ?? '',
    text: said,
    ...(message !== undefined && { errors: [message] }),
    ...(isError && present('errorType', apiReason(message) ?? textOf(error['type']))),
    costUsd: null,
    ...(inputTokens !== undefined && {
      usage: {
        inputTokens,
        outputTokens: numberOf(stats['output_tokens']) ?? 0,
        cacheReadTokens: numberOf(stats['cached']) ?? 0,
      },
    }),
  };
}

/** The API's own answer, which the CLI quotes whole: `[API Error: {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}]`. */
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
    // Not quoted whole.
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
  return {
    type: 'tool-result',
    id: head.toString('latin1', start, end),
    isError: bytes.includes(ERROR_STATUS),
    content: '',
    omittedBytes: bytes.length,
  };
}
