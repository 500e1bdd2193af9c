/**
 * Approves and runs the tools of one turn; results keep the order of the requests. Consecutive requests that are all
 * `parallel_safe` run in parallel; any other runs alone, after those before it and before those after it.
 */
import { join } from 'node:path';
import type { OrchestrateDurable, RunToolInput, RunToolOutput } from '../../effects/contracts.ts';
import { runAll } from '../../engine/pool.ts';
import { NO_RETRY, type RetryPolicy } from '../../engine/retry.ts';
import { sideKey, stepKey } from '../../model/ids.ts';
import type { Note } from '../../model/note.ts';
import { type Decision, iterationKey, type Loop, type Stopped, toolKey } from '../conversation.ts';
import { OWN_FOLDERS, toolOutputFile } from '../layout.ts';
import type { ToolResult } from '../turn.ts';
import { actionText, decideAll } from './approve.ts';
import { BUILTINS } from './builtins.ts';
import type { CheckedRequest } from './check-requests.ts';

type SoundRequest = Extract<CheckedRequest, { type: 'sound' }>;

const RETRY: RetryPolicy = { ...NO_RETRY, delayMs: 500, maxDelayMs: 30_000 };

interface ToolCall {
  /** For people. */
  readonly why: string;
  readonly run: RunToolInput;
  readonly retry: RetryPolicy;
}

interface ToolEnd {
  readonly output: RunToolOutput;
  readonly endedAt: string;
}

export async function runTools(
  loop: Loop,
  iteration: number,
  requests: readonly CheckedRequest[],
): Promise<Stopped | readonly ToolResult[]> {
  await showMalformed(loop, iteration, requests);
  const decisions = await decideAll(loop, iteration, requests);
  if ('failure' in decisions) return decisions;
  const at = await loop.durable.now(sideKey(iterationKey(iteration), 'tools'));
  const results = new Map<string, ToolResult>();
  for (const batch of batches(requests.filter((request) => mustRun(loop, request, decisions)))) {
    const ran = await runBatch(loop, iteration, batch);
    for (const result of ran) results.set(result.tool_use_id, result);
  }
  return requests.map((request) => results.get(request.id) ?? unrun(request, decisions.get(request.id), at));
}

async function showMalformed(
  { durable }: Loop,
  iteration: number,
  requests: readonly CheckedRequest[],
): Promise<void> {
  for (const request of requests) {
    if (request.type !== 'malformed') continue;
    const message = `the agent requested \`${request.name}\`, which was not run: ${request.problem}`;
    const key = sideKey(toolKey(iteration, request.id), 'malformed');
    await durable.step(key, 'note', { type: 'decision', message }, { syncWithNext: true });
  }
}

function mustRun(
  { input }: Loop,
  request: CheckedRequest,
  decisions: ReadonlyMap<string, Decision>,
): request is SoundRequest {
  if (request.type === 'malformed' || decisions.get(request.id)?.allowed === false) return false;
  return input.dryRun !== true || onlyReads(request);
}

function onlyReads({ tool }: SoundRequest): boolean {
  return tool.does.type === 'builtin' && BUILTINS[tool.does.name].onlyReads;
}

function batches(requests: readonly SoundRequest[]): readonly (readonly SoundRequest[])[] {
  const made: SoundRequest[][] = [];
  for (const request of requests) {
    const last = made.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before?.tool.parallelSafe === true && request.tool.parallelSafe)
      last.push(request);
    else made.push([request]);
  }
  return made;
}

async function runBatch(
  loop: Loop,
  iteration: number,
  batch: readonly SoundRequest[],
): Promise<readonly ToolResult[]> {
  const calls = batch.map((request) => ({
    key: toolKey(iteration, request.id),
    body: (durable: OrchestrateDurable) => runTool(durable, toolCall(loop, iteration, request)),
  }));
  const ended = await runAll(loop.durable, loop.input.limits.parallelTools, calls);
  return batch.flatMap((request, index) => {
    const end = ended[index];
    return end === undefined ? [] : [resultOf(iteration, request, end)];
  });
}

function toolCall({ input }: Loop, iteration: number, { id, tool, action }: SoundRequest): ToolCall {
  return {
    why: `the agent requested \`${tool.name}\`: ${actionText(action)}`,
    run: {
      root: input.root,
      tool: action,
      timeoutMs: tool.timeoutMs,
      keepOut: OWN_FOLDERS.map((name) => join(input.folder, name)),
      outputFile: join(input.base, toolOutputFile(iteration, id)),
    },
    retry: { ...RETRY, max: tool.retries },
  };
}

async function runTool(durable: OrchestrateDurable, { why, run, retry }: ToolCall): Promise<ToolEnd> {
  const key = stepKey('run');
  const note: Note = { type: 'decision', message: why };
  await durable.step(sideKey(key, 'why'), 'note', note, { syncWithNext: true });
  const { output, endedAt } = await durable.step(key, 'run-tool', run, { retry });
  return { output, endedAt };
}

function resultOf(iteration: number, request: SoundRequest, { output, endedAt }: ToolEnd): ToolResult {
  const { failure, wholeIn } = output;
  return {
    tool_use_id: request.id,
    tool_name: request.name,
    status: failure === undefined ? 'success' : failure.type === 'timed-out' ? 'timeout' : 'error',
    output: output.text,
    executed_at: endedAt,
    ...(wholeIn === undefined ? {} : { output_file: toolOutputFile(iteration, request.id) }),
  };
}

/** The result of a request that did not run. */
function unrun(request: CheckedRequest, decision: Decision | undefined, at: string): ToolResult {
  const named = { tool_use_id: request.id, tool_name: request.name };
  if (request.type === 'malformed')
    return {
      ...named,
      status: 'error',
      output: `the request is malformed: ${request.problem}`,
      executed_at: at,
    };
  if (decision?.allowed === false) {
    const because = decision.comment === undefined ? '' : `: ${decision.comment}`;
    return { ...named, status: 'denied', output: `the user denied this${because}`, executed_at: at };
  }
  const output = `dry run: this would ${actionText(request.action)}`;
  return { ...named, status: 'success', output, executed_at: at };
}
