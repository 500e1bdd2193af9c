/** Checks the planning agent's answer and sends findings back at most twice. Writes nothing until the answer is valid. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';
import { agentRequest } from '../agent-request.ts';
import { figureFields } from '../document/figures.ts';
import { AGENT_RETRY } from '../execute/implementation.ts';
import type { PlanInput } from './input.ts';
import { PLAN_SCHEMA } from './plan-schema.ts';
import { findingLines, prepareTasks } from './prepare-tasks.ts';
import { planPrompt, rejectionPrompt } from './prompt.ts';

const ROUNDS = 3;
const MOST_FINDINGS = 40;
const SHOWN_FINDINGS = 5;

export async function runPlan(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as PlanInput;
  const spent: Spent[] = [];
  let findings: readonly string[] = [];
  let sessionId: string | undefined;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const key = stepKey(round === 1 ? 'plan' : `plan#${round}`);
    const asked = await ask(durable, { key, input, findings, ...defined({ sessionId }) });
    spent.push(...asked.spent);
    if (asked.type === 'failed') {
      await recordCost(durable, { input, spent, key });
      return failed(asked.failure, [key]);
    }
    const checked = asked.type === 'misformed' ? asked : checkAnswer(asked.answer, input);
    if (asked.type === 'answer' && checked.findings.length === 0)
      return write(durable, { input, answer: asked.answer, spent, documents: checked.documents });
    findings = checked.findings;
    sessionId = asked.sessionId;
    await durable.step(
      sideKey(key, 'why'),
      'note',
      { type: 'decision', message: `plan rejected: ${findings.slice(0, SHOWN_FINDINGS).join('; ')}` },
      { syncWithNext: true },
    );
  }
  await recordCost(durable, { input, spent, key: stepKey(`plan#${ROUNDS}`) });
  return failed({ type: 'unproven', reasons: findings }, [
    stepKey('plan'),
    stepKey('plan#2'),
    stepKey('plan#3'),
  ]);
}

type Asked = { readonly spent: readonly Spent[]; readonly sessionId?: string } & (
  | { readonly type: 'answer'; readonly answer: JsonValue }
  | ({ readonly type: 'misformed' } & Checked)
  | { readonly type: 'failed'; readonly failure: Failure }
);

async function ask(
  durable: OrchestrateDurable,
  given: {
    readonly key: StepKey;
    readonly input: PlanInput;
    readonly findings: readonly string[];
    /** The conversation with the rejected answer. */
    readonly sessionId?: string;
  },
): Promise<Asked> {
  const { key, input, findings, sessionId } = given;
  const { output, spentBefore } = await durable.step(
    key,
    'run-agent',
    agentRequest(input, {
      prompt: sessionId === undefined ? planPrompt(input, findings) : rejectionPrompt(findings),
      schema: PLAN_SCHEMA,
      permit: 'orchestrate plan … --dangerously-skip-permissions',
      ...defined({ role: input.role, sessionId }),
    }),
    { retry: AGENT_RETRY },
  );
  const spent = [...(spentBefore ?? []), ...(output.spent === undefined ? [] : [output.spent])];
  const conversation = defined({ sessionId: output.sessionId });
  const { failure } = output;
  if (failure?.type === 'invalid-output' && failure.reason === 'schema')
    return { type: 'misformed', spent, ...conversation, documents: [], findings: [describeFailure(failure)] };
  if (failure !== undefined) return { type: 'failed', spent, failure };
  return { type: 'answer', spent, ...conversation, answer: output.structured ?? null };
}

interface Checked {
  readonly documents: readonly JsonObject[];
  readonly findings: readonly string[];
}

function checkAnswer(answer: JsonValue, input: PlanInput): Checked {
  const { documents, findings } = prepareTasks({
    given: answer,
    file: { path: 'answer', text: JSON.stringify(answer) },
    existing: input.existing,
    ...(input.parent === undefined ? {} : { parent: input.parent.id }),
  });
  const lines = findingLines(findings).slice(0, MOST_FINDINGS);
  const planned = documents.map((document): JsonObject => ({ ...document, status: 'pending' }));
  const { parent } = input;
  const strangers =
    parent === undefined ? [] : planned.filter((each) => !String(each['id']).startsWith(`${parent.id}.`));
  return {
    documents: planned,
    findings: [
      ...lines,
      ...strangers.map((each) => `\`${String(each['id'])}\` is not a subtask of \`${parent?.id}\``),
    ],
  };
}

async function write(
  durable: OrchestrateDurable,
  planned: {
    readonly input: PlanInput;
    readonly answer: JsonValue;
    readonly spent: readonly Spent[];
    readonly documents: readonly JsonObject[];
  },
): Promise<JsonValue> {
  const { input, documents } = planned;
  const answer = isJsonObject(planned.answer) ? planned.answer : {};
  const { overview, requirements } = answer;
  const key = sideKey(stepKey('plan'), 'write');
  const { output } = await durable.step(key, 'add-tasks', {
    session: input.session,
    tasks: documents,
    about: {
      ...(input.parent === undefined
        ? {
            request: input.request,
            ...(typeof overview === 'string' && overview !== '' ? { overview } : {}),
            ...(Array.isArray(requirements) && requirements.length > 0 ? { requirements } : {}),
          }
        : {}),
    },
    ...planningCost(planned),
  });
  if (output.failure !== undefined) return failed(output.failure, [key]);
  return { tasks: documents.map((document) => String(document['id'])) };
}

interface Paid {
  readonly spent: readonly Spent[];
}

/** A plan that was not made has been paid for too. */
async function recordCost(
  durable: OrchestrateDurable,
  { input, spent, key }: Paid & { readonly input: PlanInput; readonly key: StepKey },
): Promise<void> {
  const cost = planningCost({ spent });
  if (cost.figures === undefined) return;
  const session = { session: input.session, tasks: [], about: {} };
  await durable.step(sideKey(key, 'cost'), 'add-tasks', { ...session, ...cost });
}

function planningCost({ spent: calls }: Paid): { readonly figures?: JsonObject } {
  const spent = sumSpent(calls);
  return spent === undefined ? {} : { figures: figureFields({ spent }) };
}

function failed(failure: Failure, retryKeys: readonly StepKey[]): JsonValue {
  return { failure, failedStep: 'plan', retryKeys } as unknown as JsonValue;
}
