import { isJsonObject } from '../../model/json.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import type { PhasePlan } from '../../phases/document.ts';
import { PLAN_PROGRAM, type PlanInput } from '../../phases/run/input.ts';
import { parsePlan } from '../../phases/run/plan.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions } from '../run-options.ts';
import { startProgram } from '../start-program.ts';
import { type AgentFlags, agentSettings, claudeFolder, rolesThere } from './run.ts';
import { refuse } from './tell.ts';

/** A run of its own: recorded, with its cost. The phases, or the exit code when that has been said. */
export async function planByAgent(
  context: CliContext,
  task: string,
  flags: AgentFlags & OutputOptions,
): Promise<readonly PhasePlan[] | number> {
  const { workspace } = context;
  const settings = agentSettings(flags);
  if (settings.type === 'error') return refuse(context, settings.error);
  const runId = newRunId(context.workspace);
  const input: PlanInput = { ...settings.value, task, agents: rolesThere(workspace, claudeFolder()) };
  const { exitCode, end } = await startProgram(
    context,
    { runId, kind: 'phases', title: `plan: ${task}`, program: PLAN_PROGRAM, input, facts: {} },
    flags,
  );
  if (exitCode !== EXIT.done) return exitCode;
  const output = end?.output;
  const answer = isJsonObject(output) ? output['plan'] : undefined;
  const plan = parsePlan(isJsonObject(answer) ? (answer['phases'] ?? null) : null);
  if (plan.type === 'ok') return plan.value;
  refuse(context, `the plan of the agent cannot be used: ${plan.error.join('; ')}`);
  return EXIT.failed;
}
