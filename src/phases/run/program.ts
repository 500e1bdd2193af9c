/**
 * The program `phases`: works through the phases of `workflow.json` with one agent call each. The document is the truth, so changes made
 * meanwhile count: the next phase is read from the document every time.
 */
import type {
  EffectMap,
  OrchestrateDurable,
  RunAgentInput,
  RunAgentOutput,
} from '../../effects/contracts.ts';
import type { Programs } from '../../engine/durable.ts';
import { LIMIT_WAIT_MS, type RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { isSafeName, type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { inWorkspace } from '../deliverables.ts';
import { activeOf, type Phase, type PhasesDocument } from '../document.ts';
import { DRIVEN } from '../layout.ts';
import {
  type AgentSettings,
  PHASES_PROGRAM,
  type PhasesInput,
  PLAN_PROGRAM,
  type PlanInput,
} from './input.ts';
import { PLAN_SCHEMA } from './plan.ts';
import { ANSWER_SCHEMA, type PhaseAnswer, phasePrompt, planPrompt } from './prompt.ts';
import { parseRole, type Role } from './role.ts';

const LONGEST_PAUSE_MS = 60_000;
/** Files that this program writes are not deliverables. */
const OWN_FILES = ['.orchestrate', '.claude/state', '.claude/workflow_state_system.md'];

export interface PhasesOutput {
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
}

export const phasesPrograms: Programs<EffectMap> = {
  [PHASES_PROGRAM]: async (durable, input) =>
    (await runPhases(durable, input as unknown as PhasesInput)) as unknown as JsonValue,
  [PLAN_PROGRAM]: async (durable, input) => runPlan(durable, input as unknown as PlanInput),
};

async function runPhases(durable: OrchestrateDurable, input: PhasesInput): Promise<PhasesOutput> {
  const visits = new Map<string, number>();
  for (let number = 1; ; number += 1) {
    const begin = stepKey(`begin#${number}`);
    const { output } = await durable.step(begin, 'change-phases', { type: 'begin' });
    if (output.failure !== undefined) return { failure: output.failure, retryKeys: [begin] };
    const document = output.document as unknown as PhasesDocument;
    const phase = activeOf(document.phases);
    if (phase === undefined) return { retryKeys: [] };
    const visit = (visits.get(phase.id) ?? 0) + 1;
    visits.set(phase.id, visit);
    const key = stepKey(visit === 1 ? phase.id : `${phase.id}#${visit}`);
    const failure = await runPhase({ durable, input, document, phase, key });
    if (failure !== undefined) return { failure, failedStep: key, retryKeys: [begin, key] };
  }
}

interface PhaseCall {
  readonly durable: OrchestrateDurable;
  readonly input: PhasesInput;
  readonly document: PhasesDocument;
  readonly phase: Phase;
  readonly key: StepKey;
}

async function runPhase(call: PhaseCall): Promise<Failure | undefined> {
  const { durable, input, document, phase, key } = call;
  const role = await readRole(call);
  const before = await snapshot(call, 'before');
  const { output } = await durable.step(
    key,
    'run-agent',
    {
      ...settingsOf(input),
      ...asked(input, phasePrompt(document, phase), { schema: ANSWER_SCHEMA, role: role.text }),
      ...modelOf(input.model ?? role.model),
      env: { [DRIVEN]: '1' },
      permit: `orchestrate phases retry ${phase.id} && orchestrate phases run --permissions bypass`,
    },
    { retry: retryOf(input) },
  );
  const changed = (await snapshot(call, 'after', before.tree)).files ?? [];
  const answer = output.structured as unknown as PhaseAnswer | undefined;
  const failure = failureOf(output, answer);
  if (failure !== undefined) {
    // The call itself succeeded: only the answer says that the work failed.
    if (output.failure === undefined)
      await durable.step(
        sideKey(key, 'record'),
        'note',
        { type: 'record', record: { status: 'failed', failure } },
        { syncWithNext: true },
      );
    await durable.step(sideKey(key, 'end'), 'change-phases', {
      type: 'fail',
      phase: phase.id,
      error: failure.type === 'gave-up' ? failure.reason : describeFailure(failure),
    });
    return failure;
  }
  const made = changed.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  const named = (answer?.deliverables ?? []).map((text) => inWorkspace(input.workspace, text));
  const ended = await durable.step(sideKey(key, 'end'), 'change-phases', {
    type: 'complete',
    phase: phase.id,
    deliverables: [...new Set([...named, ...made])],
    context: answer?.context_for_next ?? '',
  });
  return ended.output.failure;
}

function failureOf(output: RunAgentOutput, answer: PhaseAnswer | undefined): Failure | undefined {
  if (output.failure !== undefined) return output.failure;
  if (answer?.status !== 'failed') return undefined;
  return { type: 'gave-up', reason: answer.error === '' ? 'the agent gave no reason' : answer.error };
}

/** The project's role file takes precedence over the user's. */
async function readRole({ durable, input, phase, key }: PhaseCall): Promise<Role> {
  if (!isSafeName(phase.agent)) return { text: '' };
  const project = await durable.step(sideKey(key, 'role'), 'read-file', {
    path: `.claude/agents/${phase.agent}.md`,
  });
  if (project.output.text !== undefined) return parseRole(project.output.text);
  const user = await durable.step(sideKey(key, 'user-role'), 'read-file', {
    root: input.claudeHome,
    path: `agents/${phase.agent}.md`,
  });
  return parseRole(user.output.text ?? '');
}

async function snapshot({ durable, key }: PhaseCall, side: string, since?: string) {
  const { output } = await durable.step(sideKey(key, side), 'snapshot-tree', {
    except: OWN_FILES,
    ...defined({ since }),
  });
  return output;
}

async function runPlan(durable: OrchestrateDurable, input: PlanInput): Promise<JsonValue> {
  const key = stepKey('plan');
  const { output } = await durable.step(
    key,
    'run-agent',
    {
      ...settingsOf(input),
      ...modelOf(input.model),
      ...asked(input, planPrompt(input.task, input.agents), { schema: PLAN_SCHEMA, role: '' }),
      env: { [DRIVEN]: '1' },
    },
    { retry: retryOf(input) },
  );
  if (output.failure === undefined) return { plan: output.structured ?? null, retryKeys: [] };
  return { failure: output.failure, failedStep: key, retryKeys: [key] } as unknown as JsonValue;
}

/** A custom command has no options for a role and a schema, so they go into the prompt. */
function asked(
  { agent }: AgentSettings,
  text: string,
  { schema, role }: { readonly schema: JsonObject; readonly role: string },
): Pick<RunAgentInput, 'prompt' | 'systemPrompt' | 'jsonSchema'> {
  if (agent.type === 'builtin') {
    return {
      prompt: [{ type: 'text', text }],
      jsonSchema: schema,
      ...(role === '' ? {} : { systemPrompt: role }),
    };
  }
  const inWords = `Answer with only JSON that matches this JSON Schema:\n${JSON.stringify(schema)}\n`;
  const parts = [...(role === '' ? [] : [role]), text, inWords];
  return { prompt: [{ type: 'text', text: parts.join('\n\n') }], jsonSchema: schema };
}

function settingsOf({ agent, permissions, timeoutMs }: AgentSettings) {
  return {
    agent,
    capture: 'text' as const,
    ...defined({ permissions, timeoutMs }),
  };
}

function modelOf(model: string | undefined): { readonly model?: string } {
  return model === undefined ? {} : { model };
}

/** Waits for a usage limit to reset, however long. */
function retryOf({ retries }: AgentSettings): RetryPolicy {
  return {
    ...{ max: retries, delayMs: 2000, backoff: 2, maxDelayMs: LONGEST_PAUSE_MS, jitter: 0.2 },
    limitWaitMs: LIMIT_WAIT_MS,
  };
}
