/** The implementation: the commands of the approach in order, and all other steps by the agent. */
import { LIMIT_WAIT_MS, NO_RETRY, type RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { ownerOf, type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { agentRequest } from '../agent-request.ts';
import type { ApproachStep } from '../document/flow.ts';
import type { Task } from '../document/task.ts';
import { ANSWER_SCHEMA } from './answer-schema.ts';
import { taskPrompt } from './prompt.ts';
import { runScript } from './run-script.ts';
import type { TaskWork, WorkFailure } from './task-state.ts';

/** A failed agent call is retried once; waiting for a usage limit does not count. */
export const AGENT_RETRY: RetryPolicy = { ...NO_RETRY, max: 1, limitWaitMs: LIMIT_WAIT_MS };

export interface Around {
  readonly dependencies: readonly Task[];
  readonly parent?: Task;
}

export interface Implemented {
  /** The agents' answers in order; empty if commands did everything. */
  readonly answers: readonly JsonObject[];
  /** The conversation that can be continued. */
  readonly last?: AgentTurn;
}

interface AgentTurn {
  readonly key: StepKey;
  readonly sessionId?: string;
  readonly steps?: readonly ApproachStep[];
}

export async function implement(work: TaskWork, around: Around): Promise<WorkFailure | Implemented> {
  const answers: JsonObject[] = [];
  let last: AgentTurn | undefined;
  for (const { key, ...part } of work.steps.implementation) {
    if (part.type === 'command') {
      const end = await runScript(work, key, part.script);
      if (end.failure !== undefined) return { failure: end.failure, again: [key] };
      if (part.output !== undefined) work.outputs[part.output] = end.output;
      continue;
    }
    const asked = await askAgent(work, {
      key,
      around,
      ...defined({ steps: part.steps }),
    });
    if ('failure' in asked) return asked;
    answers.push(asked.answer);
    last = asked.turn;
    for (const { output } of part.steps ?? []) {
      if (output !== undefined) work.outputs[output] = String(asked.answer['approach'] ?? '');
    }
  }
  return { answers, ...defined({ last }) };
}

/** Sends the work back to the agent once, with the reason it was rejected. */
export async function workAgain(
  work: TaskWork,
  around: Around,
  given: { readonly last: AgentTurn; readonly findings: string },
): Promise<WorkFailure | Implemented> {
  const { last, findings } = given;
  const asked = await ask(work, { ...last, key: stepKey(`${ownerOf(last.key)}#2`), around, findings });
  return 'failure' in asked ? asked : { answers: [asked.answer], last: asked.turn };
}

interface Asked {
  readonly key: StepKey;
  readonly around: Around;
  readonly steps?: readonly ApproachStep[];
  readonly findings?: string;
  readonly sessionId?: string;
}

type AgentEnd = WorkFailure | { readonly answer: JsonObject; readonly turn: AgentTurn };

/** A rejected answer is sent back once. */
async function askAgent(work: TaskWork, asked: Asked): Promise<AgentEnd> {
  const first = await ask(work, asked);
  if (!('failure' in first) || !isMisformed(first.failure)) return first;
  const again = sideKey(asked.key, 'again');
  const second = await ask(work, { ...asked, key: again, findings: describeFailure(first.failure) });
  return 'failure' in second ? { failure: second.failure, again: [asked.key] } : second;
}

async function ask(work: TaskWork, asked: Asked): Promise<AgentEnd> {
  const { durable, call, task, outputs } = work;
  const { around, key, steps, findings, sessionId } = asked;
  const { role } = work;
  const prompt = taskPrompt({
    task,
    session: call.session,
    outputs,
    toGather: work.toGather,
    ...around,
    ...defined({ steps, findings }),
  });
  const stepped = await durable.step(
    key,
    'run-agent',
    agentRequest(call, {
      prompt,
      schema: ANSWER_SCHEMA,
      permit: `orchestrate execute ${task.id} --session ${call.session} --dangerously-skip-permissions`,
      ...defined({ role, cwd: work.cwd, sessionId }),
    }),
    { retry: AGENT_RETRY },
  );
  const { output, spentBefore } = stepped;
  work.spent.push(...(spentBefore ?? []), ...(output.spent === undefined ? [] : [output.spent]));
  if (output.failure !== undefined) return { failure: output.failure, again: [key] };
  const answer = isJsonObject(output.structured) ? output.structured : {};
  const turn: AgentTurn = {
    key,
    ...defined({ sessionId: output.sessionId, steps }),
  };
  return { answer, turn };
}

function isMisformed(failure: Failure): boolean {
  return failure.type === 'invalid-output' && failure.reason === 'schema';
}
