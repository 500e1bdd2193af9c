/** Reads from a session's transcript which agents it started. */
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../../model/json.ts';
import { textOf } from '../../store/text-of.ts';
import { readAgentResponse } from './event.ts';
import { blocksOfLines, lastLineWith, linesNaming, linesWith, readEnds } from './transcript-lines.ts';

export interface AgentCall {
  readonly useId: string;
  readonly prompt: string;
  /** Empty if the call names none. */
  readonly agentType: string;
  /** In ms. */
  readonly startedAt: number;
  /** It was started in the background, and the calling agent continues. */
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
/** The ends of `"name":"Agent"` and `"name":"Task"`: a mark that starts with a rare letter is found ten times as fast. */
const STARTS = ['Agent"', 'Task"'];
const RESULT_OF = '"tool_use_id":"';
const NOTIFICATION = '<task-notification>';

/** In the order they were started, from the last `most` bytes. Empty without a transcript. */
export function readAgentCalls(path: string, most = MOST_BYTES): readonly AgentCall[] {
  const calls = new Map<string, AgentCall>();
  const open = new Set<string>();
  const launched = new Map<string, string>();
  for (const block of blocksOfLines(path, most)) {
    for (const line of linesWith(block, STARTS)) {
      for (const call of startsIn(line)) {
        if (calls.has(call.useId)) continue;
        calls.set(call.useId, call);
        open.add(call.useId);
      }
    }
    for (const line of open.size === 0 ? [] : linesNaming(block, RESULT_OF, open)) {
      for (const { useId, isLaunched, end } of endsIn(line)) {
        const call = calls.get(useId);
        if (call === undefined || !open.delete(useId)) continue;
        if (isLaunched) launched.set(useId, end.agentId ?? '');
        calls.set(useId, { ...call, ...(isLaunched ? { isLaunched } : { end }) });
      }
    }
    if (launched.size === 0) continue;
    for (const line of linesWith(block, [NOTIFICATION])) {
      const reported = notificationIn(line);
      const call = reported === undefined ? undefined : calls.get(reported.useId);
      if (reported === undefined || call === undefined || call.end !== undefined) continue;
      if (launched.get(reported.useId) === reported.end.agentId)
        calls.set(reported.useId, { ...call, end: reported.end });
    }
  }
  return [...calls.values()].sort((a, b) => a.startedAt - b.startedAt);
}

export interface AgentTranscript {
  /** Empty if unknown. */
  readonly prompt: string;
  /** In ms; NaN if unknown. */
  readonly startedAt: number;
  /** The error that interrupted the agent, if its last message is not from the model. */
  readonly error?: string;
}

/** What an agent's own transcript says; undefined without one. */
export function readAgent(path: string): AgentTranscript | undefined {
  const ends = readEnds(path, LAST_LINES_BYTES);
  if (ends === undefined) return undefined;
  const first = parseJsonObject(ends.firstLine) ?? {};
  const last = lastLineWith(ends.last, '"type":"assistant"');
  return {
    prompt: messageText(first),
    startedAt: timeOf(first),
    ...(last?.['isApiErrorMessage'] === true ? { error: messageText(last) } : {}),
  };
}

function messageText({ message }: JsonObject): string {
  return isJsonObject(message) ? contentText(message['content']) : '';
}

export interface AboutAgent {
  /** Another agent started it. */
  readonly isNested: boolean;
  /** Empty if unknown. */
  readonly agentType: string;
}

/** What Claude Code records beside the transcript of an agent. */
export function aboutAgent(path: string | undefined): AboutAgent {
  const bytes =
    path === undefined ? undefined : readEnds(`${withoutEnding(path)}.meta.json`, LAST_LINES_BYTES)?.last;
  const about = bytes === undefined ? {} : (parseJsonObject(textOf(bytes, 0, bytes.length)) ?? {});
  const { spawnDepth, agentType } = about;
  return {
    isNested: typeof spawnDepth === 'number' && spawnDepth > 1,
    agentType: typeof agentType === 'string' ? agentType : '',
  };
}

/** The path of an agent's transcript beside that of its session. */
export function agentTranscript(sessionTranscript: string, agentId: string | undefined): string | undefined {
  if (agentId === undefined || !/^[A-Za-z0-9_-]+$/.test(agentId)) return undefined;
  return `${withoutEnding(sessionTranscript)}/subagents/agent-${agentId}.jsonl`;
}

function withoutEnding(path: string): string {
  return path.endsWith('.jsonl') ? path.slice(0, -'.jsonl'.length) : path;
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
    const agentType = typeof input['subagent_type'] === 'string' ? input['subagent_type'] : '';
    return [{ useId: id, prompt, agentType, startedAt: timeOf(line) }];
  });
}

interface ReportedEnd {
  readonly useId: string;
  readonly isLaunched: boolean;
  readonly end: AgentEnd;
}

function endsIn(line: JsonObject): readonly ReportedEnd[] {
  const message = line['message'];
  if (line['isSidechain'] === true || !isJsonObject(message) || !Array.isArray(message['content'])) return [];
  const reported = line['toolUseResult'];
  const ofLine = reported === undefined ? undefined : readAgentResponse(reported);
  return (message['content'] as readonly JsonValue[]).flatMap((block) => {
    if (!isJsonObject(block) || block['type'] !== 'tool_result') return [];
    const { tool_use_id: useId } = block;
    if (typeof useId !== 'string') return [];
    const response = ofLine?.isKnown === true ? ofLine : readAgentResponse(block['content']);
    if (!response.isKnown) return [];
    const { isLaunched, agentId, text, isCutOff } = response;
    const isError = block['is_error'] === true || isCutOff;
    const end = { at: timeOf(line), text, isError, ...defined({ agentId }) };
    return [{ useId, isLaunched, end }];
  });
}

/** The end of a background agent. */
function notificationIn(line: JsonObject): { readonly useId: string; readonly end: AgentEnd } | undefined {
  const message = isJsonObject(line['message']) ? line['message'] : undefined;
  const text = message === undefined ? line['content'] : contentText(message['content']);
  if (typeof text !== 'string' || !text.startsWith(NOTIFICATION)) return undefined;
  const part = (name: string): string | undefined => {
    const start = text.indexOf(`<${name}>`) + name.length + 2;
    const end = text.indexOf(`</${name}>`, start);
    return start < name.length + 2 || end === -1 ? undefined : text.slice(start, end);
  };
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
