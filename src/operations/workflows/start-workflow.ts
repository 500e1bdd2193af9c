/** Plans a run of a workflow file. Everything is checked before the first byte is written. */
import fs from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { error, type Result } from '../../model/result.ts';
import { resolveInside } from '../../store/safe-path.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import type { LoadOptions } from '../../workflow/load/load-workflow.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import type { StartWorkflow } from '../definitions/asked.ts';
import { cassetteOf, noCassettes } from '../definitions/cassettes.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { archiveTarget, unarchivable } from './archive-target.ts';
import type { LoadedFile } from './load.ts';
import { machine } from './machine.ts';
import { planNew } from './plan-workflow.ts';

/** How the file is loaded for a run of it. */
export function loadOptionsOf(
  site: Site,
  { context = {}, options = {}, replay }: Omit<StartWorkflow, 'file'>,
): LoadOptions {
  const withoutAgents = options.dryRun === true || replay !== undefined || options.agent !== undefined;
  return { context, machine: machine(site, { withoutAgents }) };
}

export function startLoaded(
  site: Site,
  loaded: LoadedFile,
  asked: Omit<StartWorkflow, 'file'>,
): Result<Prepared, Problem> {
  const { options = {}, cleanProcessed, archiveProcessed } = asked;
  const { definition, context } = loaded;
  const problem = impossible(site, definition, asked);
  if (problem !== undefined) return error(problem);
  const runId = asked.runId ?? newRunId(site.workspace);
  const cassette = cassetteOf(site, runId, asked);
  const input: WorkflowInput = {
    runId,
    workspace: site.workspace,
    definition,
    context,
    options,
    ...defined({ cassette }),
    ...(cleanProcessed === true ? { cleanProcessed } : {}),
    ...defined({ archiveProcessed: archiveProcessed && archiveTarget(site, archiveProcessed) }),
  };
  return planNew(site, { input, loaded });
}

/** Checks that the options can be satisfied before anything is started or changed. */
function impossible(
  site: Site,
  definition: WorkflowDefinition,
  asked: Omit<StartWorkflow, 'file'>,
): Problem | undefined {
  const agents = agentsOf(definition);
  const agent = asked.options?.agent;
  return (
    (asked.cleanProcessed === true ? uncleanable(site, definition) : undefined) ??
    unarchivable(site, definition, asked.archiveProcessed?.to) ??
    (agent !== undefined && !agents.includes(agent)
      ? { type: 'unknown-provider', provider: agent, providers: agents }
      : undefined) ??
    noCassettes(site, asked)
  );
}

function uncleanable(
  { workspace }: Site,
  { queue: { processedDir } }: WorkflowDefinition,
): Problem | undefined {
  const processed = resolveInside(workspace, processedDir);
  const isFolderInside = processed.type === 'ok' && processed.value !== workspace;
  if (isFolderInside && !isLink(join(workspace, processedDir))) return undefined;
  return { type: 'cannot-clean-processed', folder: processedDir };
}

/** Providers that can be started, without the one that represents a bare `command_override`. */
function agentsOf(definition: WorkflowDefinition): readonly string[] {
  return Object.entries(definition.providers)
    .filter(([, { adapter, command }]) => adapter !== 'plain' || command !== undefined)
    .map(([name]) => name);
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
