/** What a loop and its reports need before they start: instructions, an installed agent, and the user's trust in both. */
import type { Config } from '../../../iterate/config/layers.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { whyNotRolledBack } from '../git/unfinished-rollback.ts';
import { type ChosenAgent, chooseAgents } from '../site/agent.ts';
import type { OpenedWorkspace } from '../site/find-loop.ts';
import { mayStart } from '../site/trust-settings.ts';
import { configFor, type GivenForRun } from './loop-input.ts';

export interface Task {
  readonly workspace: OpenedWorkspace;
  readonly config: Config;
  readonly agent: ChosenAgent;
  readonly fallback: readonly ChosenAgent[];
  readonly instructions: string;
  readonly given: GivenForRun;
  readonly projectRoot: string;
}

export function openTask(
  site: Site,
  workspace: OpenedWorkspace,
  given: GivenForRun,
  { onWorkers = false }: { readonly onWorkers?: boolean } = {},
): Result<Task, Problem> {
  const unready = whyNotRolledBack(site, workspace.name, workspace.metadata);
  if (unready !== undefined) return error(unready);
  const config = configFor(workspace, given);
  const instructions = readTextIfThere(workspace.paths.instructions);
  if (instructions === undefined || instructions.trim() === '') return error(noInstructions(workspace));
  const isDry = given.isDry === true;
  const agents = chooseAgents(site, config, { isElsewhere: isDry || onWorkers });
  if (agents.type === 'error') return agents;
  const may = mayStart(site, config, isDry ? [] : agents.value);
  if (may.type === 'error') return may;
  const [agent, ...fallback] = agents.value;
  return ok({
    workspace,
    config,
    agent,
    fallback,
    instructions,
    given,
    projectRoot: site.workspace,
  });
}

export function noInstructions({ name }: { readonly name: string }): Problem {
  return { type: 'no-instructions', name };
}
