import type { AgentEvent, AgentResult } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { listOf, numberOf, objectOf, textOf, todoStatusOf } from '../fields.ts';
import { resetTimeIn, timeAt } from '../reset-time.ts';
import { createClaudeEnding } from './claude-ending.ts';
import { createSpentLedger, type SpentLedger } from './claude-spent.ts';
import { createTaskList } from './claude-tasks.ts';

/** Reads the events of `claude -p --output-format stream-json --verbose`, version 2.1. */
export function createClaudeReader(): EventReader {
  const tasks = createTaskList();
  const spent = createSpentLedger();
  const ending = createClaudeEnding();
  /** The API error that the CLI inserted into the conversation as a message; its result describes it only in prose. */
  let errorType: string | undefined;
  let isGuarded = false;

  return {
    skim,
    read(line) {
      const type = textOf(line['type']) ?? '';
      switch (type) {
        case 'system':
          ending.system(line);
          isGuarded ||=
            line['hook_event'] === 'SessionStart' && textOf(line['stderr']) === `${GUARD_READY}\n`;
          return readSystem(line, isGuarded);
        case 'assistant': {
          const failed = textOf(line['error']);
          if (failed !== undefined) {
            errorType = failed;
            return [];
          }
          ending.continues();
          return readAssistant(line);
        }
        case 'user':
          return tasks.seen(line['tool_use_result'], readUser(line));
        case 'stream_event':
          return readPartial(line);
        case 'rate_limit_event':
          return [readRateLimit(objectOf(line['rate_limit_info']))];
        case 'result': {
          const result = readResult(line, spent);
          const reported = result.isError
            ? {
                ...result,
                ...defined({ errorType, resetsAt: resetTimeIn(result.text) }),
              }
            : { ...result, ...defined({ unfinished: ending.result(line) }) };
          errorType = undefined;
          return [{ type: 'result', result: reported }];
        }
        default:
          return [{ type: 'unrecognised', name: type }];
      }
    },
  };
}

/** What the guard's own hook prints when a conversation starts. */
export const GUARD_READY = 'orchestrate: the rules for tool calls are at work';

function readSystem(line: JsonObject, isGuarded: boolean): readonly AgentEvent[] {
  const subtype = textOf(line['subtype']) ?? '';
  if (subtype === 'init') {
    return [
      {
        type: 'started',
        ...defined({
          sessionId: textOf(line['session_id']),
          model: textOf(line['model']),
          version: textOf(line['claude_code_version']),
        }),
        ...(isGuarded ? { isGuarded } : {}),
      },
    ];
  }
  if (subtype === 'api_retry') {
    const status = numberOf(line['error_status']);
    const seconds = Math.round((numberOf(line['retry_delay_ms']) ?? 0) / 100) / 10;
    const name = textOf(line['error']) ?? 'unknown';
    const error = `${name === 'unknown' ? "the model's API returned an error" : name}${status === undefined ? '' : ` (HTTP ${status})`}`;
    return [
      {
        type: 'retry',
        ...defined({ attempt: numberOf(line['attempt']) }),
        message: `${error}, next attempt in ${seconds} s`,
      },
    ];
  }
  return [{ type: 'unrecognised', name: `system/${subtype}` }];
}

/** The most frequent event: a plain loop makes reading a sixth faster than spreading and mapping. */
function readAssistant(line: JsonObject): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  const parentId = textOf(line['parent_tool_use_id']);
  for (const value of listOf(objectOf(line['message'])['content'])) {
    const block = objectOf(value);
    switch (block['type']) {
      case 'text': {
        const text = textOf(block['text']) ?? '';
        events.push(
          parentId === undefined
            ? { type: 'text', text, delta: false }
            : { type: 'text', text, delta: false, parentId },
        );
        break;
      }
      case 'thinking':
        events.push({ type: 'thinking', text: textOf(block['thinking']) ?? '' });
        break;
      case 'tool_use': {
        const id = textOf(block['id']) ?? '';
        const name = textOf(block['name']) ?? '';
        const input = block['input'] ?? null;
        events.push(
          parentId === undefined
            ? { type: 'tool-use', id, name, input }
            : { type: 'tool-use', id, name, input, parentId },
        );
        if (name === 'TodoWrite') events.push(readTodos(objectOf(input)));
      }
    }
  }
  return events;
}

function readTodos(input: JsonObject): AgentEvent {
  const items = listOf(input['todos']).map((value) => ({
    content: textOf(objectOf(value)['content']) ?? '',
    status: todoStatusOf(objectOf(value)['status']),
  }));
  return { type: 'todo', items };
}

function readUser(line: JsonObject): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const value of listOf(objectOf(line['message'])['content'])) {
    const block = objectOf(value);
    if (block['type'] !== 'tool_result') continue;
    events.push({
      type: 'tool-result',
      id: textOf(block['tool_use_id']) ?? '',
      // Most successful results do not have this key.
      isError: block['is_error'] === true,
      content: contentText(block['content']),
      ...exitCodeIn(block, line['tool_use_result']),
    });
  }
  return events;
}

/** A command that failed is an error; one that runs on in the background or was stopped has no exit code. */
function exitCodeIn(block: JsonObject, result: JsonValue | undefined): { readonly exitCode?: number } {
  const { stdout, interrupted, backgroundTaskId } = objectOf(result);
  const isFinished =
    typeof stdout === 'string' &&
    interrupted !== true &&
    backgroundTaskId === undefined &&
    block['is_error'] !== true;
  return isFinished ? { exitCode: 0 } : {};
}

function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((value) => {
      const part = objectOf(value);
      return textOf(part['text']) ?? `[${textOf(part['type']) ?? 'data'}]`;
    })
    .join('\n');
}

function readPartial(line: JsonObject): readonly AgentEvent[] {
  const delta = objectOf(objectOf(line['event'])['delta']);
  const text = delta['type'] === 'text_delta' ? textOf(delta['text']) : undefined;
  return text === undefined ? [] : [{ type: 'text', text, delta: true }];
}

function readRateLimit(info: JsonObject): AgentEvent {
  const seconds = numberOf(info['resetsAt']);
  return {
    type: 'rate-limit',
    status: textOf(info['status']) ?? '',
    ...defined({ resetsAt: seconds === undefined ? undefined : timeAt(seconds) }),
  };
}

function readResult(line: JsonObject, spent: SpentLedger): AgentResult {
  const errors = listOf(line['errors']).filter((value) => typeof value === 'string');
  const total = spent.add(line);
  return {
    isError: line['is_error'] === true,
    subtype: textOf(line['subtype']) ?? '',
    text: textOf(line['result']) ?? '',
    ...defined({ structured: line['structured_output'] }),
    ...(errors.length > 0 ? { errors } : {}),
    ...defined({ apiStatus: numberOf(line['api_error_status']), turns: numberOf(line['num_turns']) }),
    costUsd: total.costUsd,
    ...defined({ usage: total.usage, sessionId: textOf(line['session_id']) }),
    denials: listOf(line['permission_denials']).map((value) => ({
      tool: textOf(objectOf(value)['tool_name']) ?? '',
      ...defined({
        toolUseId: textOf(objectOf(value)['tool_use_id']),
        input: objectOf(value)['tool_input'],
      }),
    })),
  };
}

const TOOL_RESULT_LINE = Buffer.from('{"type":"user",');
const ID_KEY = Buffer.from('"tool_use_id":"');
const ERROR_MARK = Buffer.from('"is_error":true');

/**
 * A quote inside a JSON string is escaped, so a key with quotes and colon found among the bytes is a key, never content.
 * A line with several results has several ids and is parsed.
 */
function skim(bytes: Buffer): AgentEvent | undefined {
  if (bytes.compare(TOOL_RESULT_LINE, 0, TOOL_RESULT_LINE.length, 0, TOOL_RESULT_LINE.length) !== 0)
    return undefined;
  const key = bytes.indexOf(ID_KEY);
  if (key === -1) return undefined;
  const start = key + ID_KEY.length;
  if (bytes.indexOf(ID_KEY, start) !== -1) return undefined;
  const id = bytes.toString('latin1', start, bytes.indexOf('"', start));
  return {
    type: 'tool-result',
    id,
    isError: bytes.includes(ERROR_MARK),
    content: '',
    omittedBytes: bytes.length,
  };
}
