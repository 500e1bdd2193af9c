import type { AgentEvent, AgentResult, TokenUsage } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { listOf, numberOf, objectOf, textOf, todoStatusOf } from '../fields.ts';
import { timeAt } from '../reset-time.ts';
import { toolKind } from '../tool-kinds.ts';
import { addUsage } from '../usage.ts';

/**
 * Reads the events of `opencode run --format json`. There is no closing event: the work is finished only if the last step ended with
 * `stop`. After a refused tool the process ends with exit code 0 in the middle of the work.
 */
export function createOpencodeReader(): EventReader {
  let isStarted = false;
  let said = '';
  let costUsd: number | null = 0;
  let usage: TokenUsage | undefined;
  /** Tools that were refused in the step that is running. */
  let refused: string[] = [];

  function spend(part: JsonObject): void {
    const step = usageOf(objectOf(part['tokens']));
    const cost = numberOf(part['cost']);
    // A model without a known price is reported with a cost of 0.
    const isKnown = cost !== undefined && (cost > 0 || step === undefined);
    costUsd = isKnown && costUsd !== null ? costUsd + cost : null;
    usage = addUsage(usage, step);
  }

  function readFinish(line: JsonObject, part: JsonObject): readonly AgentEvent[] {
    spend(part);
    const reason = textOf(part['reason']) ?? '';
    const isFinished = reason === 'stop';
    const spent = { costUsd, ...defined({ usage, sessionId: textOf(line['sessionID']) }) };
    if (!isFinished && reason === 'tool-calls' && refused.length === 0) return [];
    const unfinished = isFinished
      ? undefined
      : refused.length > 0
        ? ({ type: 'refused', tools: refused } as const)
        : ({ type: 'other', reason } as const);
    refused = [];
    const result = { isError: false, subtype: reason, text: said, ...spent, ...defined({ unfinished }) };
    return [{ type: 'result', result }];
  }

  function readEvent(line: JsonObject): readonly AgentEvent[] {
    const part = objectOf(line['part']);
    switch (line['type']) {
      case 'step_start':
        said = '';
        refused = [];
        // The only sign of work until a tool has ended.
        return [{ type: 'thinking', text: '' }];
      case 'text': {
        const text = textOf(part['text']) ?? '';
        said = said === '' ? text : `${said}\n${text}`;
        return [{ type: 'text', text, delta: false }];
      }
      case 'reasoning':
        return [{ type: 'thinking', text: textOf(part['text']) ?? '' }];
      case 'tool_use': {
        const events = readTool(part);
        for (const event of events) {
          if (event.type === 'tool-use') said = '';
          if (event.type === 'tool-result' && event.refused === true) refused.push(toolOf(part));
        }
        return events;
      }
      case 'step_finish':
        return readFinish(line, part);
      case 'error':
        return [{ type: 'result', result: { ...readError(line), costUsd, ...defined({ usage }) } }];
      default:
        return [{ type: 'unrecognised', name: textOf(line['type']) ?? '' }];
    }
  }

  return {
    // The call and the result of a tool are one line.
    skim: () => undefined,
    read(line) {
      const events = readEvent(line);
      const sessionId = textOf(line['sessionID']);
      if (isStarted || sessionId === undefined) return events;
      isStarted = true;
      return [{ type: 'started', sessionId }, ...events];
    },
  };
}

function readTool(part: JsonObject): readonly AgentEvent[] {
  const state = objectOf(part['state']);
  const id = textOf(part['callID']) ?? '';
  const name = toolOf(part);
  const input = state['input'] ?? null;
  const exitCode = numberOf(objectOf(state['metadata'])['exit']);
  const error = textOf(state['error']);
  const isRefused = isUnavailable(part) || isRefusal(error);
  return [
    { type: 'tool-use', id, name, input },
    ...(name === 'todowrite' ? [readTodos(objectOf(input))] : []),
    {
      type: 'tool-result',
      id,
      isError: state['status'] === 'error' || isRefused || (exitCode !== undefined && exitCode !== 0),
      content: textOf(state['output']) ?? error ?? '',
      ...defined({ exitCode }),
      ...(isRefused ? { refused: true } : {}),
    },
  ];
}

/** A call that cannot be made is passed to the tool `invalid`, which names the tool that was meant. */
function toolOf(part: JsonObject): string {
  const name = textOf(part['tool']) ?? '';
  return name === 'invalid' ? (textOf(objectOf(objectOf(part['state'])['input'])['tool']) ?? name) : name;
}

/** A tool of its own that its settings take away; a name that it does not know was invented by the model. */
function isUnavailable(part: JsonObject): boolean {
  if (part['tool'] !== 'invalid') return false;
  const error = textOf(objectOf(objectOf(part['state'])['input'])['error']) ?? '';
  return error.startsWith('Model tried to call unavailable tool') && toolKind(toolOf(part)) !== 'other';
}

/** How it words its own refusals: nobody was there to ask, or a rule forbids it. */
const REFUSALS = [
  'The user rejected permission to use this specific tool call',
  'The user has specified a rule which prevents you from using this specific tool call',
];

function isRefusal(error: string | undefined): boolean {
  return error !== undefined && REFUSALS.some((words) => error.startsWith(words));
}

function readTodos(input: JsonObject): AgentEvent {
  const items = listOf(input['todos']).map((value) => ({
    content: textOf(objectOf(value)['content']) ?? '',
    status: todoStatusOf(objectOf(value)['status']),
  }));
  return { type: 'todo', items };
}

function readError(line: JsonObject): Omit<AgentResult, 'costUsd'> {
  const error = objectOf(line['error']);
  const data = objectOf(error['data']);
  const name = textOf(error['name']) ?? 'error';
  const apiStatus = numberOf(data['statusCode']);
  return {
    isError: true,
    subtype: name,
    text: '',
    errors: [textOf(data['message']) ?? name],
    ...defined({
      apiStatus,
      errorType: errorTypeOf(name, textOf(data['responseBody'])),
      resetsAt: apiStatus === 429 ? retryTime(line, objectOf(data['responseHeaders'])) : undefined,
      sessionId: textOf(line['sessionID']),
    }),
  };
}

function errorTypeOf(name: string, body: string | undefined): string | undefined {
  if (name === 'ProviderAuthError') return 'authentication_failed';
  const { code, type } = objectOf(parseJsonObject(body ?? '')?.['error']);
  return code === 'insufficient_quota' || type === 'insufficient_quota' ? 'billing_error' : undefined;
}

/** `retry-after` is a number of seconds or a date. */
function retryTime(line: JsonObject, headers: JsonObject): string | undefined {
  const after = textOf(headers['retry-after']);
  const at = numberOf(line['timestamp']);
  if (after === undefined || at === undefined) return undefined;
  return timeAt(/^\d{1,9}$/.test(after) ? at / 1000 + Number(after) : Date.parse(after) / 1000);
}

function usageOf(tokens: JsonObject): TokenUsage | undefined {
  const inputTokens = numberOf(tokens['input']);
  if (inputTokens === undefined) return undefined;
  const cache = objectOf(tokens['cache']);
  return {
    inputTokens,
    outputTokens: (numberOf(tokens['output']) ?? 0) + (numberOf(tokens['reasoning']) ?? 0),
    cacheReadTokens: numberOf(cache['read']) ?? 0,
    cacheWriteTokens: numberOf(cache['write']) ?? 0,
  };
}
