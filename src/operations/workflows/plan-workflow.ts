/** From a workflow's input to the plan of its run: what starting, running one step, forking, restarting and resuming share. */
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { lastInput } from '../../engine/last-input.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { agentsUsed } from '../../workflow/agents-used.ts';
import { hasFinally } from '../../workflow/has-finally.ts';
import type { LoadedWorkflow } from '../../workflow/load/load-workflow.ts';
import { WORKFLOW_PROGRAM, type WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import type { NotTrusted, Refused } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { leakIn } from './leaked-secret.ts';

export interface NewWorkflowRun {
  readonly input: WorkflowInput;
  readonly loaded: Pick<LoadedWorkflow, 'definition' | 'checksum' | 'warnings'>;
  /** Of a fork: the run whose beginning it shares, and that beginning. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

/** A new run, unless a secret would be written down with it or the user has not agreed to its agents' settings. */
export function planNew(
  site: Site,
  { input, loaded, fork }: NewWorkflowRun,
): Result<Prepared, NotTrusted | Refused> {
  const leak = leakIn(site, input);
  if (leak !== undefined) return error(leak);
  const may = mayStartAgentsOf(site, input);
  if (may.type === 'error') return may;
  return ok({
    plan: {
      ...planOf(site, input.runId, input),
      begin: {
        type: 'new',
        program: WORKFLOW_PROGRAM,
        input: input as unknown as JsonValue,
        facts: { ...factsOf(loaded, input), ...(fork === undefined ? {} : { forked_from: fork.from }) },
        ...(fork === undefined ? {} : { shared: fork.shared }),
      },
    },
    ...(fork === undefined ? {} : { history: fork.shared }),
    warnings: loaded.warnings,
  });
}

/** All but how it begins. */
export function planOf({ workspace }: Site, runId: RunId, { definition, cassette }: WorkflowInput) {
  return {
    runId,
    workspace,
    kind: 'workflow',
    title: definition.name,
    secrets: secretNames(definition),
    tidiesUp: hasFinally(definition),
    ...(cassette === undefined ? {} : { cassette }),
  } as const;
}

/** A dry run and a replay start none. */
export function mayStartAgentsOf(
  site: Site,
  { definition, options, cassette }: WorkflowInput,
): Result<void, NotTrusted> {
  if (options.dryRun === true || cassette?.type === 'replay') return ok(undefined);
  return mayStartAgents(site, agentsUsed(definition, options.agent));
}

export function factsOf(
  { definition, checksum }: Pick<LoadedWorkflow, 'definition' | 'checksum'>,
  { context, options, only }: WorkflowInput,
): JsonObject {
  return {
    workflow_file: definition.file,
    workflow_checksum: checksum,
    context,
    ...(options.dryRun === true ? { trial: 'dry run' } : {}),
    ...(only === undefined ? {} : { trial: `step ${only.step} alone` }),
  };
}

/** A workflow as it was started, or as a change of it was last accepted. */
export function inputOf({ events }: Pick<ReadRun, 'events'>): WorkflowInput {
  return lastInput(events) as unknown as WorkflowInput;
}

/** The input of a run, for a new one of it as the file is now: what it records goes to its own folder. */
export function inputAgain(
  site: Site,
  before: WorkflowInput,
  now: { readonly runId: RunId; readonly definition: WorkflowInput['definition'] },
): WorkflowInput {
  const isRecorded = before.cassette?.type === 'record';
  return { ...before, ...now, ...(isRecorded ? { cassette: recordingOf(site, now.runId) } : {}) };
}

export function recordingOf({ workspace }: Pick<Site, 'workspace'>, runId: RunId): CassetteUse {
  return { type: 'record', folder: runPaths(workspace, runId).cassettes };
}
