import type { AgentEvent } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import type { EventReader } from '../adapter.ts';
import { numberOf, objectOf, textOf } from '../fields.ts';
import { resetTimeIn } from '../reset-time.ts';
import { createClaudeReader } from './claude-events.ts';

/** Reads the events of `qwen -o stream-json`: those of Claude Code, with retries and errors of its own. */
export function createQwenReader(): EventReader {
  const claude = createClaudeReader();
  return {
    skim: claude.skim,
    read(line) {
      if (line['type'] === 'system' && line['subtype'] === 'retry')
        return [readRetry(objectOf(line['data']))];
      return claude.read(line).map((event) => withOwnFields(event, line));
    },
  };
}

function readRetry(data: JsonObject): AgentEvent {
  const seconds = Math.round((numberOf(data['delayMs']) ?? 0) / 1000);
  const attempt = numberOf(data['attempt']);
  return {
    type: 'retry',
    ...defined({ attempt }),
    message: `the model's API returned an error, next attempt in ${seconds} s`,
  };
}

function withOwnFields(event: AgentEvent, line: JsonObject): AgentEvent {
  if (event.type === 'started')
    return { ...event, ...defined({ version: textOf(line['qwen_code_version']) }) };
  if (event.type !== 'result' || !event.result.isError) return event;
  const message = textOf(objectOf(line['error'])['message']);
  if (message === undefined) return event;
  const own = { apiStatus: statusIn(message), resetsAt: resetTimeIn(message) };
  return { type: 'result', result: { ...event.result, errors: [message], ...defined(own) } };
}

/** Its own error quotes the status of the API's answer: `[API Error: 401 no such key]`. */
function statusIn(message: string): number | undefined {
  const status = /^\[API Error: (4\d\d|5\d\d)\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
