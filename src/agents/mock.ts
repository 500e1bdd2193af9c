/**
 * An agent without a model, for `demo`, dry runs and tests. It follows a small script or echoes its prompt, deterministically. Its
 * stream is the common event format, one event per line, so logs, cassettes and views treat it like any other agent.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDenial, AgentEvent, AgentResult } from '../model/agent.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { MockTurn } from '../model/mock-script.ts';
import { sha256 } from '../model/sha256.ts';
import { unreachable } from '../model/unreachable.ts';
import type { AgentAdapter } from './adapter.ts';
import type { AgentEnded } from './classify.ts';
import { mockTurn } from './mock-script.ts';
import { sampleValue } from './sample-value.ts';

export const mock: AgentAdapter = {
  name: 'mock',
  binary: 'mock',
  continues: false,
  forks: true,
  limitsTurns: true,
  limitsBudget: true,
  stateIn: () => ({ folders: [] }),
  modelHosts: () => [],
  call: (request) => ({ argv: ['mock'], stdin: request.prompt, env: {} }),
  createReader: () => ({
    read: (line) => [line as unknown as AgentEvent],
    skim: () => undefined,
  }),
  exitMeaning: () => undefined,
};

export interface MockCall {
  readonly script: JsonValue | undefined;
  readonly prompt: string;
  readonly jsonSchema?: JsonObject;
  readonly sessionId?: string;
  readonly attempt: number;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** Asked before each tool call; default: all run. */
  check?(call: { readonly id: string; readonly tool: string; readonly input: JsonObject }): MockDecision;
  /** Writes a file of the script; the caller decides where files may be written. */
  writeFile(path: string, content: string): Failure | undefined;
  print(chunk: Buffer): void;
}

/** `ask`: it ends and waits, as an agent does whose hook defers the call. */
export type MockDecision = 'run' | 'deny' | 'ask';

export type MockEnd =
  | { readonly type: 'not-started'; readonly failure: Failure }
  | { readonly type: 'exited'; readonly exitCode: number; readonly ended?: AgentEnded };

/** Throws the abort reason of `signal`. */
export async function runMock(call: MockCall): Promise<MockEnd> {
  const parsed = mockTurn(call.script, call);
  if (parsed.type === 'error') {
    const outcome = { type: 'invalid-input', message: parsed.error } as const;
    return { type: 'not-started', failure: { type: 'agent', outcome } };
  }
  const turn = parsed.value;
  if (turn.outcome === 'not-found') {
    return { type: 'not-started', failure: { type: 'not-found', program: 'mock' } };
  }
  const print = (event: AgentEvent): void => call.print(Buffer.from(`${JSON.stringify(event)}\n`));
  const sessionId = call.sessionId ?? `mock-${sha256(call.prompt).slice(0, 12)}`;
  print({ type: 'started', sessionId, model: 'mock' });

  if (await pause(turn.delay_ms ?? 0, call))
    return ended({ type: 'timed-out', afterMs: call.timeoutMs ?? 0 });
  const denials: AgentDenial[] = [];
  const out = { print, sessionId, denials };
  for (const [index, tool] of (turn.tools ?? []).entries()) {
    const stopped = use({ ...tool, id: `tool-${index + 1}` }, call, out);
    if (stopped !== undefined) return stopped;
  }
  if (turn.todos !== undefined) print({ type: 'todo', items: turn.todos });
  for (const [index, [path, content]] of Object.entries(turn.files ?? {}).entries()) {
    const write = { id: `write-${index + 1}`, name: 'Write', input: { file_path: path, content } };
    const run = () => call.writeFile(path, content);
    const stopped = use({ ...write, output: `wrote ${path}`, run }, call, out);
    if (stopped !== undefined) return stopped;
  }
  return close(turn, call, out);
}

interface Out {
  readonly sessionId: string;
  readonly denials: AgentDenial[];
  print(event: AgentEvent): void;
}

interface MockUse {
  readonly id: string;
  readonly name: string;
  readonly input?: JsonValue | undefined;
  readonly output?: string | undefined;
  readonly error?: boolean | undefined;
  run?(): Failure | undefined;
}

/** Undefined: the next tool follows. */
function use({ id, name, input = {}, ...tool }: MockUse, call: MockCall, out: Out): MockEnd | undefined {
  const decision = call.check?.({ id, tool: name, input: isJsonObject(input) ? input : {} }) ?? 'run';
  const failure = decision === 'run' ? tool.run?.() : undefined;
  if (failure !== undefined) return { type: 'not-started', failure };
  out.print({ type: 'tool-use', id, name, input });
  if (decision === 'ask') return defer({ id, tool: name, input }, call, out);
  const isDenied = decision === 'deny';
  if (isDenied) out.denials.push({ tool: name, toolUseId: id, input });
  const content = isDenied ? 'denied' : (tool.output ?? '');
  out.print({ type: 'tool-result', id, isError: isDenied || (tool.error ?? false), content });
  return undefined;
}

function defer(
  { id, tool, input }: { readonly id: string; readonly tool: string; readonly input: JsonValue },
  call: MockCall,
  { sessionId, print }: Out,
): MockEnd {
  const inputTokens = Math.ceil(call.prompt.length / 4);
  print({
    type: 'result',
    result: {
      ...{ isError: false, subtype: 'success', text: '', turns: 1, costUsd: 0, sessionId },
      usage: { inputTokens, outputTokens: 0 },
      unfinished: { type: 'deferred', tool, id, input },
    },
  });
  return { type: 'exited', exitCode: 0 };
}

function close(turn: MockTurn, call: MockCall, out: Out): MockEnd {
  const structured = structuredAnswer(turn, call);
  const answer =
    turn.answer?.replaceAll('{prompt}', () => call.prompt) ?? defaultAnswer(call.prompt, structured);
  const result: AgentResult = {
    isError: false,
    subtype: 'success',
    text: answer,
    ...defined({ structured }),
    turns: turn.turns ?? 1,
    costUsd: turn.cost_usd === undefined ? 0 : turn.cost_usd,
    usage: {
      inputTokens: turn.usage?.input_tokens ?? Math.ceil(call.prompt.length / 4),
      outputTokens: turn.usage?.output_tokens ?? Math.ceil(answer.length / 4),
    },
    sessionId: out.sessionId,
    ...(out.denials.length === 0 ? {} : { denials: out.denials }),
  };
  const outcome = turn.outcome ?? 'done';
  const message = turn.message ?? `the mock agent returned \`${outcome}\``;
  const fail = (part: Partial<AgentResult>): MockEnd => {
    out.print({ type: 'result', result: { ...result, isError: true, text: message, ...part } });
    return { type: 'exited', exitCode: 1 };
  };
  switch (outcome) {
    case 'rate-limited': {
      const resetsAt = turn.resets_at;
      out.print({ type: 'rate-limit', status: 'rejected', ...defined({ resetsAt }) });
      return fail({ apiStatus: 429 });
    }
    case 'overloaded':
      return fail({ apiStatus: 529 });
    case 'api-error':
      return fail({ apiStatus: 500 });
    case 'auth':
      return fail({ apiStatus: 401 });
    case 'invalid-input':
      return fail({ apiStatus: 400 });
    case 'max-turns':
      return fail({ subtype: 'error_max_turns' });
    case 'over-budget':
      return fail({ subtype: 'error_max_budget_usd' });
    case 'timed-out':
      return ended({ type: 'timed-out', afterMs: call.timeoutMs ?? 0 });
    case 'idle':
      return ended({ type: 'idle', afterMs: 0 });
    case 'crashed':
      return { type: 'exited', exitCode: 0 };
    case 'denied':
      out.print({ type: 'result', result: { ...result, denials: [{ tool: 'Write' }] } });
      return { type: 'exited', exitCode: 0 };
    case 'hung-after-result':
      out.print({ type: 'result', result });
      return ended({ type: 'hung-after-result', afterMs: 0 });
    case 'done':
    case 'not-found': // Unreachable: it was not started.
      out.print({ type: 'text', text: answer, delta: false });
      out.print({ type: 'result', result });
      return { type: 'exited', exitCode: 0 };
    default:
      return unreachable(outcome);
  }
}

function structuredAnswer(turn: MockTurn, call: MockCall): JsonValue | undefined {
  if (turn.structured !== undefined) return turn.structured;
  return turn.answer === undefined && call.jsonSchema !== undefined
    ? sampleValue(call.jsonSchema)
    : undefined;
}

function defaultAnswer(prompt: string, structured: JsonValue | undefined): string {
  if (structured !== undefined) return JSON.stringify(structured);
  const first = prompt.trim().split('\n', 1)[0] ?? '';
  return `This is the mock agent. I was asked: ${first}`;
}

/** True if the call timed out first. */
async function pause(ms: number, call: MockCall): Promise<boolean> {
  const { timeoutMs, signal } = call;
  const isTooLong = timeoutMs !== undefined && ms > timeoutMs;
  const waitMs = isTooLong ? timeoutMs : ms;
  try {
    if (waitMs > 0) await delay(waitMs, undefined, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
  signal.throwIfAborted();
  return isTooLong;
}

function ended(cause: AgentEnded): MockEnd {
  return { type: 'exited', exitCode: 143, ended: cause };
}
