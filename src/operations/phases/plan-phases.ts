/** Plans a run in which an agent splits a task into phases; it is recorded with its cost. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { PhasePlan } from '../../phases/document.ts';
import { PLAN_PROGRAM, type PlanInput } from '../../phases/run/input.ts';
import { parsePlan } from '../../phases/run/plan.ts';
import type { NotTrusted, Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { planProgram } from '../runs/plan-program.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { agentSettings, builtinsOf, type PhasesAgent } from './agent-settings.ts';
import { rolesThere } from './roles.ts';

export function planPhases(
  site: Site,
  { task, ...agent }: PhasesAgent & { readonly task: string },
): Result<Prepared, NotTrusted | Problem> {
  const settings = agentSettings(agent);
  if (settings.type === 'error') return settings;
  const may = mayStartAgents(site, builtinsOf(settings.value.agent));
  if (may.type === 'error') return may;
  const input: PlanInput = { ...settings.value, task, agents: rolesThere(site) };
  const plan = planProgram(site, {
    ...{ kind: 'phases', title: `plan: ${task}`, program: PLAN_PROGRAM, input },
    facts: {},
  });
  return ok({ plan });
}

/** The result of that run. */
export function plannedPhases(output: JsonValue | undefined): Result<readonly PhasePlan[], Problem> {
  const answer = isJsonObject(output) ? output['plan'] : undefined;
  const plan = parsePlan(isJsonObject(answer) ? (answer['phases'] ?? null) : null);
  if (plan.type === 'ok') return plan;
  return error({ type: 'invalid-phases-plan', faults: plan.error });
}
