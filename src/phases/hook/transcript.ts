/** What a session's transcript says of the agents it started. */
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../../model/json.ts';
import { readAgentResponse } from './event.ts';
import { firstLine, linesWith, readEnd } from './transcript-lines.ts';

export interface AgentCall {
  readonly useId: string;
  readonly prompt: string;
  /** In ms. */
  readonly startedAt: number;
  /** It was put to work in the background, and the agent that called it goes on. */
  readonly isLaunched?: true;
  readonly end?: AgentEnd;
}

export interface AgentEnd {
  readonly at: number;
  readonly agentId?: string;
  readonly text: string;
  readonly isError: boolean;
}

const MOST_BYTES = 64 * 1024 * 1024;
const LAST_LINES_BYTES = 256 * 1024;
const STARTS = ['"name":"Agent"', '"name":"Task"'];
const NOTIFICATION = '<task-notification>';

/** In the order they were started; of the last `most` bytes. Nothing where there is no transcript. */
export function readAgentCalls(path: string, most = MOST_BYTES): readonly AgentCall[] {
  const bytes = readEnd(path, most);
  if (bytes === undefined || STARTS.every((mark) => !bytes.includes(mark))) return [];
  const calls = new Map<string, AgentCall>();
  for (const line of linesWith(bytes, STARTS)) for (const call of startsIn(line)) calls.set(call.useId, call);
  const launched = new Map<string, string>();
  for (const call of calls.values()) {
    for (const line of linesWith(bytes, [`"tool_use_id":"${call.useId}"`])) {
      const end = endIn(line, call.useId);
      if (end === undefined) continue;
      if (end.isLaunched) launched.set(call.useId, end.end.agentId ?? '');
      calls.set(call.useId, { ...call, ...(end.isLaunched ? { isLaunched: true } : { end: end.end }) });
    }
  }
  if (launched.size > 0) {
    for (const line of linesWith(bytes, [NOTIFICATION])) {
      const told = notificationIn(line);
      const call = told === undefined ? undefined : calls.get(told.useId);
      if (told === undefined || call === undefined || call.end !== undefined) continue;
      if (launched.get(told.useId) === told.end.agentId) calls.set(told.useId, { ...call, end: told.end });
    }
  }
  return [...calls.values()].sort((a, b) => a.startedAt - b.startedAt);
}

/** The prompt and the beginning of an agent, from its own transcript. */
export function readAgentStart(
  path: string,
): { readonly prompt: string; readonly startedAt: number } | undefined {
  const line = parseJsonObject(firstLine(path) ?? '');
  if (line === undefined) return undefined;
  const message = isJsonObject(line['message']) ? line['message'] : {};
  return { prompt: contentText(message['content']), startedAt: timeOf(line) };
}

/** Why an agent was cut off, where its last words are not the model's but an error's. */
export function readAgentError(path: string): string | undefined {
  const bytes = readEnd(path, LAST_LINES_BYTES);
  if (bytes === undefined) return undefined;
  let last: JsonObject | undefined;
  for (const line of linesWith(bytes, ['"type":"assistant"'])) last = line;
  if (last?.['isApiErrorMessage'] !== true) return undefined;
  const message = isJsonObject(last['message']) ? last['message'] : {};
  return contentText(message['content']);
}

/** Whether another agent has started it: Claude Code keeps that beside the transcript. Not where nothing tells so. */
export function isNested(path: string): boolean {
  const about = readEnd(path.replace(/\.jsonl$/, '.meta.json'), LAST_LINES_BYTES);
  const depth = parseJsonObject(about?.toString('utf8') ?? '')?.['spawnDepth'];
  return typeof depth === 'number' && depth > 1;
}

/** Where the transcript of an agent lies beside that of its session. */
export function agentTranscript(sessionTranscript: string, agentId: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(agentId)) return undefined;
  return `${sessionTranscript.replace(/\.jsonl$/, '')}/subagents/agent-${agentId}.jsonl`;
}

function startsIn(line: JsonObject): readonly AgentCall[] {
  const message = line['message'];
  if (line['isSidechain'] === true || !isJsonObject(message) || !Array.isArray(message['content'])) return [];
  return (message['content'] as readonly JsonValue[]).flatMap((block) => {
    if (!isJsonObject(block) || block['type'] !== 'tool_use') return [];
    if (block['name'] !== 'Agent' && block['name'] !== 'Task') return [];
    const input = isJsonObject(block['input']) ? block['input'] : {};
    const { id } = block;
    if (typeof id !== 'string') return [];
    const prompt = typeof input['prompt'] === 'string' ? input['prompt'] : '';
    return [{ useId: id, prompt, startedAt: timeOf(line) }];
  });
}

function endIn(
  line: JsonObject,
  useId: string,
): { readonly isLaunched: boolean; readonly end: AgentEnd } | undefined {
  const message = line['message'];
  if (line['isSidechain'] === true || !isJsonObject(message) || !Array.isArray(message['content']))
    return undefined;
  const block = (message['content'] as readonly JsonValue[]).find(
    (each) => isJsonObject(each) && each['type'] === 'tool_result' && each['tool_use_id'] === useId,
  );
  if (!isJsonObject(block)) return undefined;
  const { isLaunched, agentId, text, isCutOff } = readAgentResponse(
    line['toolUseResult'] ?? block['content'],
  );
  return {
    isLaunched,
    end: {
      at: timeOf(line),
      text,
      isError: block['is_error'] === true || isCutOff,
      ...(agentId === undefined ? {} : { agentId }),
    },
  };
}

/** An agent in the background has ended. */
function notificationIn(line: JsonObject): { readonly useId: string; readonly end: AgentEnd } | undefined {
  const message = isJsonObject(line['message']) ? line['message'] : undefined;
  const text = message === undefined ? line['content'] : contentText(message['content']);
  if (typeof text !== 'string' || !text.startsWith(NOTIFICATION)) return undefined;
  const part = (name: string): string | undefined =>
    new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1];
  const useId = part('tool-use-id');
  const agentId = part('task-id');
  if (useId === undefined || agentId === undefined) return undefined;
  const result = part('result') ?? part('summary') ?? '';
  return { useId, end: { at: timeOf(line), agentId, text: result, isError: part('status') !== 'completed' } };
}

function contentText(content: JsonValue | undefined): string {
  return readAgentResponse(content).text;
}

function timeOf(line: JsonObject): number {
  return Date.parse(String(line['timestamp'] ?? ''));
}
