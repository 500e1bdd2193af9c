/** Turns the input of a workflow into the plan of its run. Shared by start, run-step, fork, restart and resume. */
import { basename, dirname, relative } from 'node:path';
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { lastInput } from '../../engine/last-input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { agentFolders, agentsUsed } from '../../workflow/agents-used.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import { hasFinally } from '../../workflow/has-finally.ts';
import type { LoadedWorkflow } from '../../workflow/load/load-workflow.ts';
import { WORKFLOW_PROGRAM, type WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import { stepsByPath } from '../../workflow/step-paths.ts';
import type { NotTrusted, Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { leakIn } from './leaked-secret.ts';

export interface NewWorkflowRun {
  readonly input: WorkflowInput;
  readonly loaded: Pick<LoadedWorkflow, 'definition' | 'checksum' | 'warnings' | 'notify'>;
  /** For a fork: the run it reuses, and the reused records. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

/** Plans a new run, unless it would write a secret to a file or its agents' settings are not trusted. */
export function planNew(
  site: Site,
  { input, loaded, fork }: NewWorkflowRun,
): Result<Prepared, NotTrusted | Problem> {
  const leak = leakIn(site, { input, secrets: secretNames(input.definition) });
  if (leak !== undefined) return error(leak);
  const may = mayStartAgentsOf(site, input);
  if (may.type === 'error') return may;
  return ok({
    plan: {
      ...planOf(site, input.runId, input),
      ...(loaded.notify.length === 0 ? {} : { notify: loaded.notify }),
      begin: {
        type: 'new',
        program: WORKFLOW_PROGRAM,
        input: input as unknown as JsonValue,
        facts: { ...factsOf(loaded, input), ...(fork === undefined ? {} : { forked_from: fork.from }) },
        ...(fork === undefined ? {} : { shared: fork.shared }),
      },
    },
    ...(fork === undefined ? {} : { earlier: fork.shared }),
    warnings: loaded.warnings,
  });
}

/** Everything except how it starts. */
export function planOf({ workspace }: Site, runId: RunId, { definition, cassette }: WorkflowInput) {
  return {
    runId,
    workspace,
    kind: 'workflow',
    title: definition.name,
    secrets: secretNames(definition),
    tidiesUp: hasFinally(definition),
    ...defined({ cassette }),
  } as const;
}

/** Dry runs and replays start no agents. */
export function mayStartAgentsOf(
  site: Site,
  { definition, options, cassette }: WorkflowInput,
): Result<void, NotTrusted> {
  if (options.dryRun === true || cassette?.type === 'replay') return ok(undefined);
  return mayStartAgents(site, agentsUsed(definition, options.agent), agentFolders(definition));
}

export function factsOf(
  { definition, checksum }: Pick<LoadedWorkflow, 'definition' | 'checksum'>,
  { context, options, only, workspace, cassette }: WorkflowInput,
): JsonObject {
  return {
    workflow_file: definition.file,
    workflow_checksum: checksum,
    ...descriptionsOf(definition),
    context,
    ...(options.dryRun === true ? { trial: 'dry run' } : {}),
    ...(only === undefined ? {} : { trial: `step ${only.step} alone` }),
    ...(cassette?.type === 'replay' ? { replayed_from: replayedFrom(workspace, cassette.folder) } : {}),
  };
}

/** The run whose answers are replayed, or the folder of its cassettes. */
function replayedFrom(workspace: string, folder: string): string {
  const run = parseRunId(basename(dirname(folder)));
  const isOfRun = run !== undefined && runPaths(workspace, run).cassettes === folder;
  return isOfRun ? run : relative(workspace, folder);
}

/** Views show them; `step_descriptions` by name, for the steps of a called workflow as `Call/Name`. */
function descriptionsOf(definition: WorkflowDefinition): JsonObject {
  const { description } = definition;
  const steps = [...stepsByPath(definition)].flatMap(([path, step]) =>
    step.description === undefined ? [] : [[path, step.description] as const],
  );
  return {
    ...defined({ description }),
    ...(steps.length === 0 ? {} : { step_descriptions: Object.fromEntries(steps) }),
  };
}

/** The workflow as it was started, or as last changed with `--accept-changes`. */
export function inputOf({ milestones }: Pick<ReadRun, 'milestones'>): WorkflowInput {
  return lastInput(milestones) as unknown as WorkflowInput;
}

/** The input of a run for a new run with the current file; cassettes go to the folder of the new run. */
export function inputAgain(
  site: Site,
  before: WorkflowInput,
  now: { readonly runId: RunId; readonly definition: WorkflowInput['definition'] },
): WorkflowInput {
  const isRecorded = before.cassette?.type === 'record';
  return {
    ...withDefinition(before, now.definition),
    runId: now.runId,
    ...(isRecorded ? { cassette: recordingOf(site, now.runId) } : {}),
  };
}

/** The same input with the current file: its context follows the file, except for values that were given from outside. */
export function withDefinition(
  before: WorkflowInput,
  definition: WorkflowInput['definition'],
): WorkflowInput {
  const { context: old } = before.definition;
  const given = Object.entries(before.context).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key]),
  );
  return { ...before, definition, context: { ...definition.context, ...Object.fromEntries(given) } };
}

export function recordingOf({ workspace }: Pick<Site, 'workspace'>, runId: RunId): CassetteUse {
  return { type: 'record', folder: runPaths(workspace, runId).cassettes };
}
