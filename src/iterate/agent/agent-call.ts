/** Calls the agent of a task, or those of its fallback list in turn. */
import type {
  OrchestrateDurable,
  PlacedText,
  RunAgentInput,
  RunAgentOutput,
} from '../../effects/contracts.ts';
import type { StepOptions, Stepped } from '../../engine/durable.ts';
import { inTurn, limitEnd } from '../../engine/in-turn.ts';
import { LIMIT_WAIT_MS, type RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import { isPartOf } from '../../store/portable-path.ts';
import type { FallbackAgent, TaskInput } from '../input.ts';
import type { Words } from '../prompts/words.ts';

export interface AgentRequest {
  readonly task: TaskInput;
  readonly prompt: Words;
  readonly systemPrompt: PlacedText;
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
  const agents = agentsOf(request, key);
  const keys: StepKey[] = [];
  const { stepped, earlier } = await inTurn<RunAgentOutput>({
    names: agents.map(({ name }) => name),
    retry: retryPolicy(request.task),
    resting: await restingNow(durable, key, { agents, resting }),
    call(index, retry, isAgain) {
      const { at: first, ...agent } = agentAt(agents, index);
      const at = isAgain ? sideKey(first, 'again') : first;
      keys.push(at);
      const options = { retry, ...defined({ stopFile, workLimitMs }) };
      return durable.step(at, 'run-agent', agentInput(request, agent), options);
    },
    async onSwitch(index, failed, next) {
      const { name, at } = agentAt(agents, index);
      const resetsAt = limitEnd(failed);
      if (resetsAt !== undefined) resting.set(name, resetsAt);
      const message = `\`${name}\` ${whyFailed(failed)}; switching to \`${agentAt(agents, next).name}\``;
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

function agentsOf({ task, agent }: AgentRequest, key: StepKey): readonly AgentOnCall[] {
  const { agentName = 'agent', fallback = [], limitsSpending } = task;
  const first = { name: agentName, choice: agent ?? task.agent, ...defined({ limitsSpending }) };
  return [first, ...(agent === undefined ? fallback : [])].map((each, index) => ({
    ...each,
    at: index === 0 ? key : sideKey(key, `agent${index + 1}`),
  }));
}

/** The agents at their limit, with its end. */
async function restingNow(
  durable: OrchestrateDurable,
  key: StepKey,
  { agents, resting }: { readonly agents: readonly AgentOnCall[]; readonly resting: Resting },
): Promise<ReadonlyMap<number, string>> {
  if (agents.length === 1 || resting.size === 0) return new Map();
  const now = await durable.now(sideKey(key, 'turn'));
  return new Map(
    agents.flatMap(({ name }, index) => {
      const end = resting.get(name) ?? '';
      return end > now ? [[index, end]] : [];
    }),
  );
}

function agentAt(agents: readonly AgentOnCall[], index: number): AgentOnCall {
  const agent = agents[index];
  if (agent === undefined) throw new Error(`there is no agent ${index}`);
  return agent;
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
    prompt,
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
      ask: task.ask,
      maxBudgetUsd,
      timeoutMs: task.timeoutMs,
      idleTimeoutMs: task.idleTimeoutMs,
      cwd: within.cwd,
    }),
  };
}

/** Whether the workspace is in the agent's working directory. */
function isWithin({ projectRoot, workspacePath }: TaskInput, { cwd }: InLoop): boolean {
  return cwd === undefined && isPartOf(projectRoot, workspacePath);
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
