/** The event that Claude Code sends a hook on standard input. Every field may be missing or have the wrong type. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { withoutTrailing } from '../../model/trailing.ts';

export interface HookEvent {
  /** `post-tool-use` */
  readonly name: string;
  readonly sessionId?: string;
  readonly transcriptPath?: string;
  readonly cwd?: string;
  /** The subagent it is about, or in which it happened. */
  readonly agentId?: string;
  readonly agentType?: string;
  readonly agentTranscriptPath?: string;
  readonly lastMessage?: string;
  readonly error?: string;
  readonly isInterrupt: boolean;
  readonly durationMs?: number;
  readonly tool?: ToolCall;
}

export interface ToolCall {
  readonly name: string;
  readonly useId?: string;
  readonly input: JsonObject;
  readonly response: JsonValue | undefined;
}

/** `argument` is the name on the command line; the event's own name, if present, wins. */
export function readEvent(argument: string, input: JsonObject): HookEvent {
  const reported = text(input, 'hook_event_name');
  return {
    name: reported === undefined || isSpelt(argument, reported) ? argument : kebab(reported),
    isInterrupt: input['is_interrupt'] === true,
    ...field('sessionId', text(input, 'session_id')),
    ...field('transcriptPath', text(input, 'transcript_path')),
    ...field('cwd', text(input, 'cwd')),
    ...field('agentId', text(input, 'agent_id')),
    ...field('agentType', text(input, 'agent_type')),
    ...field('agentTranscriptPath', text(input, 'agent_transcript_path')),
    ...field('lastMessage', text(input, 'last_assistant_message')),
    ...field('error', text(input, 'error')),
    ...(typeof input['duration_ms'] === 'number' ? { durationMs: input['duration_ms'] } : {}),
    ...field('tool', toolOf(input)),
  };
}

export function isAgentTool(name: string | undefined): boolean {
  return name === 'Agent' || name === 'Task';
}

export const TODO_TOOLS: readonly string[] = ['TodoWrite', 'TaskCreate', 'TaskUpdate'];

/** How an agent call ended, by the tool's response. */
export interface AgentResponse {
  /** False if there is no response, or none that this program can read. */
  readonly isKnown: boolean;
  /** It is still running; its end is reported later. */
  readonly isLaunched: boolean;
  readonly agentId?: string;
  readonly text: string;
  /** The model gave no answer: the last message is an error of the agent program. */
  readonly isCutOff: boolean;
}

export function readAgentResponse(response: JsonValue | undefined): AgentResponse {
  const object = isJsonObject(response) ? response : {};
  const isLaunched = object['isAsync'] === true || object['status'] === 'async_launched';
  const answer = answerText(response);
  return {
    isKnown: isLaunched || answer !== undefined,
    isLaunched,
    ...field('agentId', text(object, 'agentId') ?? text(object, 'agent_id')),
    text: answer ?? '',
    isCutOff: isUnspoken(object['usage']),
  };
}

/** An answer with zero input and output tokens. */
function isUnspoken(usage: JsonValue | undefined): boolean {
  return isJsonObject(usage) && usage['input_tokens'] === 0 && usage['output_tokens'] === 0;
}

/** Undefined if it has no known shape. */
function answerText(response: JsonValue | undefined): string | undefined {
  if (typeof response === 'string') return response === '' ? undefined : response;
  if (Array.isArray(response)) return response.length === 0 ? undefined : blocks(response);
  if (!isJsonObject(response)) return undefined;
  for (const key of ['content', 'result', 'text', 'output']) {
    const value = response[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return blocks(value);
  }
  return undefined;
}

function blocks(list: readonly JsonValue[]): string | undefined {
  const isBlock = (block: JsonValue): boolean => typeof block === 'string' || isJsonObject(block);
  if (!list.every(isBlock)) return undefined;
  return list.map((block) => (typeof block === 'string' ? block : textIn(block))).join('\n');
}

function textIn(block: JsonValue): string {
  return isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : '';
}

/** Case-insensitive, spelled out: compiling a case-insensitive expression costs a hook 0.3 ms. */
const NAMED_PHASE = /\b[Pp][Hh][Aa][Ss][Ee] [Ii][Dd]\s*:\s*[`"'*]*([A-Za-z0-9_][A-Za-z0-9_.-]*)/;

/** `Phase ID: phase_1` in a prompt. */
export function namedPhase(prompt: JsonValue | undefined): string | undefined {
  if (typeof prompt !== 'string') return undefined;
  const name = NAMED_PHASE.exec(prompt)?.[1];
  return name === undefined ? undefined : withoutTrailing(name, '.');
}

function toolOf(input: JsonObject): ToolCall | undefined {
  const name = text(input, 'tool_name');
  if (name === undefined) return undefined;
  return {
    name,
    input: isJsonObject(input['tool_input']) ? input['tool_input'] : {},
    response: input['tool_response'],
    ...field('useId', text(input, 'tool_use_id')),
  };
}

function text(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function field<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** Whether `post-tool-use` matches `PostToolUse`, as it nearly always does; checked without compiling an expression. */
function isSpelt(argument: string, reported: string): boolean {
  return argument.split('-').join('') === reported.toLowerCase();
}

/** `PostToolUse` → `post-tool-use` */
function kebab(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
