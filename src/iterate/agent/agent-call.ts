/** Calls the agent of a task, or those of its fallback list in turn. */
import type { OrchestrateDurable, RunAgentInput, RunAgentOutput } from '../../effects/contracts.ts';
import type { StepOptions, Stepped } from '../../engine/durable.ts';
import { inTurn } from '../../engine/in-turn.ts';
import { LIMIT_WAIT_MS, type RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import { isInside } from '../../store/relative-path.ts';
import type { FallbackAgent, TaskInput } from '../input.ts';

export interface AgentRequest {
  readonly task: TaskInput;
  readonly prompt: string;
  readonly systemPrompt: string;
  /** Instead of the agents of the task. */
  readonly agent?: RunAgentInput['agent'] | undefined;
  readonly within?: InLoop;
}

/** For a call made by a loop: what stops and limits it. */
export interface InLoop extends Pick<StepOptions, 'stopFile' | 'workLimitMs'> {
  readonly maxBudgetUsd?: number;
  readonly resting?: Resting;
  /** Workspace-relative: the loop's own worktree. */
  readonly cwd?: string;
}

/** Agents at their usage limit, by name, with the time at which it resets: until then they are not called. */
export type Resting = Map<string, string>;

export interface AgentCalled {
  readonly stepped: Stepped<RunAgentOutput>;
  /** By every call and attempt. */
  readonly spent: readonly Spent[];
  /** The calls that were made. */
  readonly keys: readonly StepKey[];
}

export async function callAgent(
  durable: OrchestrateDurable,
  key: StepKey,
  request: AgentRequest,
): Promise<AgentCalled> {
  const { within = {} } = request;
  const { resting = new Map() as Resting, stopFile, workLimitMs } = within;
  const agents = await readyAgents(durable, key, { request, resting });
  const keys: StepKey[] = [];
  const { stepped, earlier } = await inTurn<RunAgentOutput>({
    names: agents.map(({ name }) => name),
    retry: retryPolicy(request.task),
    call(index, retry) {
      const { at, ...agent } = agentAt(agents, index);
      keys.push(at);
      const options = { retry, ...defined({ stopFile, workLimitMs }) };
      return durable.step(at, 'run-agent', agentInput(request, agent), options);
    },
    async onSwitch(index, failed) {
      const { name, at } = agentAt(agents, index);
      const resetsAt = resetOf(failed);
      if (resetsAt !== undefined) resting.set(name, resetsAt);
      const message = `\`${name}\` ${whyFailed(failed)}; switching to \`${agentAt(agents, index + 1).name}\``;
      await durable.step(
        sideKey(at, 'switched'),
        'note',
        { type: 'decision', message },
        { syncWithNext: true },
      );
    },
  });
  return { stepped, spent: [...earlier, stepped].flatMap(spentOn), keys };
}

interface AgentOnCall extends FallbackAgent {
  readonly at: StepKey;
}

/** Those that are not at their limit; all of them if every one is. */
async function readyAgents(
  durable: OrchestrateDurable,
  key: StepKey,
  { request, resting }: { readonly request: AgentRequest; readonly resting: Resting },
): Promise<readonly AgentOnCall[]> {
  const { task, agent } = request;
  const { agentName = 'agent', fallback = [], limitsSpending } = task;
  const first = { name: agentName, choice: agent ?? task.agent, ...defined({ limitsSpending }) };
  const all = [first, ...(agent === undefined ? fallback : [])].map((each, index) => ({
    ...each,
    at: index === 0 ? key : sideKey(key, `agent${index + 1}`),
  }));
  if (all.length === 1 || resting.size === 0) return all;
  const now = await durable.now(sideKey(key, 'turn'));
  const ready = all.filter(({ name }) => (resting.get(name) ?? '') <= now);
  return ready.length === 0 ? all : ready;
}

function agentAt(agents: readonly AgentOnCall[], index: number): AgentOnCall {
  const agent = agents[index];
  if (agent === undefined) throw new Error(`there is no agent ${index}`);
  return agent;
}

function resetOf(failure: Failure): string | undefined {
  return failure.type === 'agent' && failure.outcome.type === 'rate-limited'
    ? failure.outcome.resetsAt
    : undefined;
}

function whyFailed(failure: Failure): string {
  const isLimit = failure.type === 'agent' && failure.outcome.type === 'rate-limited';
  return isLimit ? 'hit its usage limit' : `failed (${describeFailure(failure)})`;
}

function agentInput(
  { task, prompt, systemPrompt, within = {} }: AgentRequest,
  agent: FallbackAgent,
): RunAgentInput {
  const maxBudgetUsd = agent.limitsSpending === true ? within.maxBudgetUsd : undefined;
  return {
    agent: agent.choice,
    prompt: [{ type: 'text', text: prompt }],
    systemPrompt,
    capture: 'text',
    // Whether it did its work anyway is judged by the files it changed.
    toleratesDenial: true,
    permit: `claude-iterate run ${task.name} --dangerously-skip-permissions`,
    ...defined({
      permissions: task.permissions,
      // Rules such as `acceptEdits` apply to its working directory; its status file is in the workspace.
      folders: isWithin(task, within) ? undefined : [task.workspacePath],
      sandbox: task.sandbox,
      maxBudgetUsd,
      timeoutMs: task.timeoutMs,
      idleTimeoutMs: task.idleTimeoutMs,
      cwd: within.cwd,
    }),
  };
}

/** Whether the workspace is in the agent's working directory. */
function isWithin({ projectRoot, workspacePath }: TaskInput, { cwd }: InLoop): boolean {
  return cwd === undefined && isInside(projectRoot, workspacePath);
}

/** Waits for a usage limit to reset, however long; never retries after a time limit set by the user. */
function retryPolicy({ retry }: TaskInput): RetryPolicy {
  return {
    max: retry.maxAttempts - 1,
    delayMs: 0,
    backoff: 1,
    maxDelayMs: Number.MAX_SAFE_INTEGER,
    jitter: 0,
    delaysMs: retry.delaysMs,
    except: ['timed-out'],
    limitWaitMs: LIMIT_WAIT_MS,
  };
}

function spentOn({ output: { spent }, spentBefore = [] }: Stepped<RunAgentOutput>): readonly Spent[] {
  return [...spentBefore, ...(spent === undefined ? [] : [spent])];
}
