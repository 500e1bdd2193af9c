/** Loads a workflow and plans its run. Everything is checked before the first byte is written. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { defined } from '../../model/defined.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { resolveInside } from '../../store/safe-path.ts';
import type { RunOptions } from '../../workflow/block.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { findRun } from '../runs/find-run.ts';
import { listRunIds, newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { archiveTarget, unarchivable } from './archive-target.ts';
import { loadForRun } from './load.ts';
import { machine } from './machine.ts';
import { planNew, recordingOf } from './plan-workflow.ts';

export interface StartWorkflow {
  readonly file: string;
  /** The id of the run, if it was chosen before. Default: a new one. */
  readonly runId?: RunId;
  /** Overrides `context` in the file. */
  readonly context?: JsonObject;
  readonly options?: RunOptions;
  /** Record every agent call as a cassette in the run folder. */
  readonly records?: boolean;
  /** Replay agent calls from the cassettes of a run or a folder. */
  readonly replay?: { readonly from: string; readonly isLoose?: boolean };
  /** Empty the folder of processed tasks before the run. */
  readonly cleanProcessed?: boolean;
  /** Archive the processed tasks as a zip after success; default: in the run folder. */
  readonly archiveProcessed?: { readonly to?: string };
}

export function startWorkflow(site: Site, asked: StartWorkflow): Result<Prepared, Problem> {
  const { context = {}, options = {}, replay, cleanProcessed, archiveProcessed } = asked;
  const withoutAgents = options.dryRun === true || replay !== undefined || options.agent !== undefined;
  const loaded = loadForRun(site, asked.file, {
    context,
    machine: machine(site, { withoutAgents }),
  });
  if (loaded.type === 'error') return loaded;
  const { definition } = loaded.value;
  const problem = impossible(site, definition, asked);
  if (problem !== undefined) return error(problem);
  const runId = asked.runId ?? newRunId(site.workspace);
  const cassette = cassetteOf(site, runId, asked);
  const input: WorkflowInput = {
    runId,
    workspace: site.workspace,
    definition,
    context: loaded.value.context,
    options,
    ...defined({ cassette }),
    ...(cleanProcessed === true ? { cleanProcessed } : {}),
    ...defined({ archiveProcessed: archiveProcessed && archiveTarget(site, archiveProcessed) }),
  };
  return planNew(site, { input, loaded: loaded.value });
}

/** Checks that the options can be satisfied before anything is started or changed. */
function impossible(site: Site, definition: WorkflowDefinition, asked: StartWorkflow): Problem | undefined {
  const agents = agentsOf(definition);
  const agent = asked.options?.agent;
  return (
    (asked.cleanProcessed === true ? uncleanable(site, definition) : undefined) ??
    unarchivable(site, definition, asked.archiveProcessed?.to) ??
    (agent !== undefined && !agents.includes(agent)
      ? { type: 'unknown-provider', provider: agent, providers: agents }
      : undefined) ??
    (asked.replay !== undefined && !fs.existsSync(replayFolder(site, asked.replay.from))
      ? { type: 'no-cassettes', from: asked.replay.from }
      : undefined)
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

export function cassetteOf(
  site: Site,
  runId: RunId,
  { records, replay }: StartWorkflow,
): CassetteUse | undefined {
  if (records === true) return recordingOf(site, runId);
  if (replay === undefined) return undefined;
  return { type: 'replay', folder: replayFolder(site, replay.from), loose: replay.isLoose === true };
}

/** `last` is the newest run that was recorded. */
export function replayFolder(site: Site, from: string): string {
  const { workspace } = site;
  const folder = join(workspace, from);
  if (parseRunId(from) === undefined && fs.existsSync(folder)) return folder;
  if (from === 'last') {
    const recorded = listRunIds(workspace).map((runId) => runPaths(workspace, runId).cassettes);
    return recorded.find((cassettes) => fs.existsSync(cassettes)) ?? folder;
  }
  const run = findRun(site, from);
  return run.type === 'ok' ? runPaths(workspace, run.value).cassettes : folder;
}
