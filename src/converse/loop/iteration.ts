/** One iteration: prompt file → agent → response file → tools → results file. */
import type { RunAgentInput, RunAgentOutput } from '../../effects/contracts.ts';
import type { Stepped } from '../../engine/durable.ts';
import { LIMIT_WAIT_MS, type RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import { sideKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { iterationKey, type Loop, type Stopped } from '../conversation.ts';
import { keep } from '../keep-files.ts';
import { promptFile, responseFile, TOOL_RESULTS } from '../layout.ts';
import { ANSWER_SCHEMA } from '../prompt/answer-schema.ts';
import { renderPrompt } from '../prompt/render-prompt.ts';
import { readAnswer } from '../read-answer.ts';
import { type CheckedAnswer, checkAnswer } from '../tools/check-requests.ts';
import { runTools } from '../tools/run-tools.ts';
import type { Response, ToolResult, Turn } from '../turn.ts';

export interface Taken {
  readonly turn: Turn;
  /** The agent requested no tool: the task is done. */
  readonly isLast: boolean;
  /** None of its requests could be parsed. */
  readonly isMalformed: boolean;
}

export async function takeTurn(
  loop: Loop,
  before: { readonly turns: readonly Turn[]; readonly errors: number },
): Promise<Stopped | Taken> {
  const iteration = before.turns.length + 1;
  const key = iterationKey(iteration);
  const { prompt, message } = renderPrompt(loop.input, iteration, before.turns);
  const asked = await ask(loop, { iteration, prompt, message, errors: before.errors });
  if ('failure' in asked) return asked;
  const response = readAnswer(asked.output);
  const timestamp = await loop.durable.now(sideKey(key, 'answered-at'));
  const unkept = await keep(loop, key, [
    { type: 'json', side: 'response', path: responseFile(iteration), value: response as JsonValue },
    {
      type: 'message',
      side: 'answered',
      message: { iteration, role: 'assistant', content: contentOf(response), timestamp },
    },
  ]);
  if (unkept !== undefined) return unkept;
  const answer = checkAnswer(response, loop.input.tools, iteration);
  const results = await resultsFor(loop, { iteration, response, answer });
  if ('failure' in results) return results;
  const stuck = await keepResults(loop, iteration, results);
  if (stuck !== undefined) return stuck;
  const { text, requests } = answer;
  return {
    turn: {
      iteration,
      text,
      requests: requests.map(({ id, name, input }) => ({ id, name, input })),
      results,
    },
    isLast: results.length === 0,
    isMalformed: results.length > 0 && requests.every((request) => request.type === 'malformed'),
  };
}

interface Question {
  readonly iteration: number;
  readonly prompt: string;
  readonly message: string;
  readonly errors: number;
}

async function ask(loop: Loop, question: Question): Promise<Stopped | Stepped<RunAgentOutput>> {
  const { iteration, prompt, message } = question;
  const key = iterationKey(iteration);
  const timestamp = await loop.durable.now(sideKey(key, 'asked-at'));
  const unkept = await keep(loop, key, [
    { type: 'text', side: 'prompt', path: promptFile(iteration), text: prompt },
    { type: 'message', side: 'asked', message: { iteration, role: 'user', content: message, timestamp } },
  ]);
  if (unkept !== undefined) return unkept;
  const stepped = await loop.durable.step(key, 'run-agent', agentInput(loop, iteration), {
    retry: agentRetry(loop.input.limits.maxConsecutiveErrors - question.errors),
  });
  const { failure } = stepped.output;
  return failure === undefined ? stepped : { failure, failedStep: key, retryKeys: [key] };
}

/** The prompt is read from its file, so the file is what is sent. */
function agentInput({ input }: Loop, iteration: number): RunAgentInput {
  const { agent } = input;
  return {
    agent: agent.choice,
    root: input.root,
    prompt: [{ type: 'file', root: input.base, path: promptFile(iteration) }],
    capture: 'text',
    jsonSchema: ANSWER_SCHEMA,
    schemaIsWish: true,
    toolsOff: true,
    ...defined({
      model: agent.model,
      permissions: agent.permissions,
      maxTurns: agent.maxTurns,
      timeoutMs: agent.timeoutMs,
      idleTimeoutMs: agent.idleTimeoutMs,
    }),
  };
}

/** The number of calls left before there are too many consecutive errors. */
function agentRetry(calls: number): RetryPolicy {
  return {
    max: Math.max(0, calls - 1),
    delayMs: 1000,
    backoff: 2,
    maxDelayMs: 60_000,
    jitter: 0.2,
    limitWaitMs: LIMIT_WAIT_MS,
  };
}

function contentOf(response: Response): JsonValue {
  return 'content' in response && response.content !== undefined ? response.content : (response as JsonValue);
}

async function resultsFor(
  loop: Loop,
  turn: { readonly iteration: number; readonly response: Response; readonly answer: CheckedAnswer },
): Promise<Stopped | readonly ToolResult[]> {
  const { iteration, response, answer } = turn;
  if (answer.requests.length > 0) return runTools(loop, iteration, answer.requests);
  const problem = whyUnread(response);
  if (problem === undefined) return [];
  const note = {
    type: 'decision',
    message: 'the answer is truncated or malformed, and was not read',
  } as const;
  await loop.durable.step(sideKey(iterationKey(iteration), 'unread'), 'note', note, { syncWithNext: true });
  // It may have requested tools; that is unknown.
  return [
    {
      tool_use_id: `toolu_${String(iteration).padStart(3, '0')}_1`,
      tool_name: 'unknown',
      status: 'error',
      output: problem,
      executed_at: await loop.durable.now(sideKey(iterationKey(iteration), 'tools')),
    },
  ];
}

/** Undefined: the answer was read. */
function whyUnread(response: Response): string | undefined {
  if (response['raw'] !== true) return undefined;
  if (response['truncated'] === true)
    return 'your answer was longer than 1 MiB and was not read: answer again more briefly, and write long files in several steps';
  return response['malformed'] === true
    ? 'your answer was not read: it is not valid JSON of the requested form, or was truncated. No tool was run. Answer again with the whole JSON object and nothing else'
    : undefined;
}

async function keepResults(
  loop: Loop,
  iteration: number,
  results: readonly ToolResult[],
): Promise<Stopped | undefined> {
  if (results.length === 0) return undefined;
  const value = { iteration, results } as unknown as JsonValue;
  return keep(loop, iterationKey(iteration), [
    { type: 'json', side: 'results', path: TOOL_RESULTS, value },
    { type: 'session', side: 'state', set: { status: 'running', current_iteration: iteration } },
  ]);
}
