import type { AgentEvent, AgentResult } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { numberOf, objectOf, textOf } from '../fields.ts';

/**
 * Reads the events of `copilot --output-format json`. Its last line has only an exit code: what went wrong is in `session.error`, and a
 * refused tool ends with exit code 0.
 */
export function createCopilotReader(): EventReader {
  /** The agent's last message, which becomes the final answer. */
  let said = '';
  /** The error that ended the conversation; `undefined` once the agent continues. */
  let failed: JsonObject | undefined;
  /** The last error of the API said that the account is out of quota. */
  let quota = false;
  /** It was stopped: a result that it reports after that, with exit code 0, does not count. */
  let isAborted = false;

  return {
    skim: () => undefined,
    read(line) {
      const type = textOf(line['type']) ?? '';
      const data = objectOf(line['data']);
      switch (type) {
        case 'session.tools_updated':
          return [{ type: 'started', ...defined({ model: textOf(data['model']) }) }];
        case 'assistant.message': {
          const text = textOf(data['content']) ?? '';
          failed = undefined;
          isAborted = false;
          said = text;
          return text === '' ? [] : [{ type: 'text', text, delta: false }];
        }
        case 'assistant.reasoning':
          return [{ type: 'thinking', text: textOf(data['content']) ?? '' }];
        case 'tool.execution_start':
          return [
            {
              type: 'tool-use',
              id: textOf(data['toolCallId']) ?? '',
              name: textOf(data['toolName']) ?? '',
              input: data['arguments'] ?? null,
            },
          ];
        case 'tool.execution_complete':
          return [readToolResult(data)];
        case 'model.call_failure':
          quota = isQuota(data);
          return [];
        case 'assistant.turn_retry':
          return [{ type: 'retry', message: textOf(data['reason']) ?? 'error' }];
        case 'session.error':
          failed = data;
          return [];
        case 'abort':
          isAborted = true;
          return [];
        case 'result':
          if (isAborted) return [];
          return [{ type: 'result', result: readResult(line, { said, failed, quota }) }];
        // Parts and marks of the events above.
        case 'user.message':
        case 'assistant.message_start':
        case 'assistant.message_delta':
        case 'assistant.tool_call_delta':
        case 'assistant.turn_start':
        case 'assistant.turn_end':
        case 'assistant.idle':
        case 'agent.interrupted':
        case 'model.call_start':
        case 'model.call_finished':
        case 'model.call_final_result':
          return [];
        default:
          return [{ type: 'unrecognised', name: type }];
      }
    },
  };
}

function readToolResult(data: JsonObject): AgentEvent {
  const error = objectOf(data['error']);
  const exitCode = numberOf(objectOf(data['shellExecution'])['exitCode']);
  return {
    type: 'tool-result',
    id: textOf(data['toolCallId']) ?? '',
    // A command that failed is reported as a success with its exit code.
    isError: data['success'] !== true || (exitCode !== undefined && exitCode !== 0),
    content: textOf(objectOf(data['result'])['content']) ?? textOf(error['message']) ?? '',
    ...defined({ exitCode }),
    ...(error['code'] === 'denied' ? { refused: true } : {}),
  };
}

function isQuota(data: JsonObject): boolean {
  const { code, type } = parseJsonObject(textOf(data['errorMessage']) ?? '') ?? {};
  return code === 'insufficient_quota' || type === 'insufficient_quota';
}

interface Seen {
  readonly said: string;
  readonly failed: JsonObject | undefined;
  readonly quota: boolean;
}

function readResult(line: JsonObject, { said, failed, quota }: Seen): AgentResult {
  const isError = line['exitCode'] !== 0 || failed !== undefined;
  const sessionId = textOf(line['sessionId']);
  const ended = { text: said, costUsd: null, ...defined({ sessionId }) };
  if (!isError) return { isError, subtype: 'success', ...ended };
  const { errorType, message, statusCode } = failed ?? {};
  return {
    isError,
    subtype: textOf(errorType) ?? 'error',
    ...ended,
    errors: [textOf(message) ?? `it ended with exit code ${String(line['exitCode'])}`],
    ...defined({
      errorType: quota && statusCode === 429 ? 'billing_error' : ERROR_TYPES.get(textOf(errorType) ?? ''),
      apiStatus: numberOf(statusCode),
    }),
  };
}

/** Its names for errors, where the HTTP status may be missing. */
const ERROR_TYPES: ReadonlyMap<string, string> = new Map([
  ['authentication', 'authentication_failed'],
  ['authorization', 'authentication_failed'],
  ['rate_limit', 'rate_limit'],
  ['quota', 'billing_error'],
]);
