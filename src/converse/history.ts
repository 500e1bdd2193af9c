/** `state/message_history.jsonl`: read without changing it, and rendered as Markdown. */
import { join } from 'node:path';
import { fence } from '../model/fence.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../model/json.ts';
import { errnoOf } from '../store/errno.ts';
import { readPlainText } from '../store/plain-file.ts';
import { HISTORY } from './layout.ts';
import type { Conversation } from './sessions.ts';

/** The messages of one conversation. A line truncated by a crash is ignored. */
export function readHistory({ base, sessionId }: Conversation): readonly JsonObject[] {
  let text: string;
  try {
    text = readPlainText(join(base, HISTORY));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
  return text
    .split('\n')
    .flatMap((line) => parse(line))
    .filter((message) => message['session_id'] === undefined || message['session_id'] === sessionId);
}

function parse(line: string): readonly JsonObject[] {
  try {
    const value: unknown = parseJson(line);
    return isJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}

export function renderHistory(messages: readonly JsonObject[], title: string): string {
  const parts = messages.map((message) => {
    const { iteration, role, timestamp, content } = message;
    return `## Iteration ${String(iteration)}, ${String(role)} (${String(timestamp)})\n\n${contentText(content ?? null)}\n`;
  });
  return `# ${title}\n\n${parts.join('\n')}`;
}

function contentText(content: JsonValue): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(blockText).join('\n\n');
  if (isJsonObject(content) && typeof content['text'] === 'string') return content['text'];
  return fenced(content);
}

function blockText(block: JsonValue): string {
  if (typeof block === 'string') return block;
  if (isJsonObject(block) && typeof block['text'] === 'string') return block['text'];
  if (isJsonObject(block) && block['type'] === 'tool_use')
    return `Requests ${requestText(block)}:\n\n${fenced(block['input'] ?? {})}`;
  return fenced(block);
}

/** As the agent wrote it: a malformed request may have neither name nor id. */
function requestText({ name, id }: JsonObject): string {
  return `${name === undefined ? 'a tool' : `\`${String(name)}\``}${id === undefined ? '' : ` (${String(id)})`}`;
}

function fenced(value: JsonValue): string {
  return fence(JSON.stringify(value, null, 2), 'json');
}
