/** Turns the input of a workflow file into the plan of its run. Shared by start, run-step, fork, restart and resume. */
import { basename, dirname } from 'node:path';
import { lastInput } from '../../engine/last-input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId, timestampOf } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { localPath } from '../../store/portable-path.ts';
import { agentFolders, agentsUsed } from '../../workflow/agents-used.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import { hasFinally } from '../../workflow/has-finally.ts';
import { isolatedFiles } from '../../workflow/isolated-files.ts';
import { WORKFLOW_PROGRAM, type WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import { stepsByPath } from '../../workflow/step-paths.ts';
import { cassetteAgain } from '../definitions/cassettes.ts';
import { ANY_FOLDER, type Definition } from '../definitions/definition.ts';
import { planNewRun } from '../definitions/plan-run.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { calledPrograms, type LoadedFile } from './load.ts';

export interface NewWorkflowRun {
  readonly input: WorkflowInput;
  readonly loaded: LoadedFile;
  /** For a fork: the run it reuses, and the reused records. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

/** Plans a new run, unless it would write a secret to a file or its agents' settings are not trusted. */
export function planNew(site: Site, { input, loaded, fork }: NewWorkflowRun): Result<Prepared, Problem> {
  const { checksum, sources, warnings, notify, programs } = loaded;
  const { programs: _, ...own } = input;
  const whole: WorkflowInput = { ...own, ...calledPrograms(programs) };
  return planNewRun(site, {
    definition: { ...definitionOf(whole), checksum, sources },
    program: WORKFLOW_PROGRAM,
    facts: factsOf(loaded, whole),
    ...{ input: whole, warnings, notify },
    ...defined({ fork }),
  });
}

/** What is known from the input of a run alone. */
export function definitionOf({
  definition,
  programs = [],
}: Pick<WorkflowInput, 'definition' | 'programs'>): Omit<Definition, 'checksum' | 'sources'> {
  const { name, description, file, providers, notifies } = definition;
  return {
    ...{ title: name, file, ...defined({ description, notifies }) },
    alsoFiles: isolatedFiles(definition),
    secrets: [...new Set([...secretNames(definition), ...programs.flatMap(({ secrets }) => secrets)])],
    agentsOf: (instead) => {
      const used = agentsUsed(definition, instead);
      if (instead === undefined) return new Set([...used, ...programs.flatMap(({ agents }) => agents)]);
      const chosen = programs.length === 0 ? undefined : providers[instead]?.adapter;
      return chosen === undefined ? used : new Set([...used, chosen]);
    },
    agentFolders: [...agentFolders(definition), ...(programs.length === 0 ? [] : [ANY_FOLDER])],
    tidiesUp: hasFinally(definition),
  };
}

export function factsOf(
  { definition, checksum }: Pick<LoadedFile, 'definition' | 'checksum'>,
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
  const isOfRun = run !== undefined && runPaths(workspace, run).cassettes === localPath(workspace, folder);
  return isOfRun ? run : folder;
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

/** When the run began, or the one that it forked; ISO 8601. */
export function startedAtOf({ runId, timestampUtc = timestampOf(runId) }: WorkflowInput): string {
  return timestampUtc.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
}

/** The input of a run for a new run with the current file; cassettes go to the folder of the new run. */
export function inputAgain(
  site: Site,
  before: WorkflowInput,
  now: { readonly runId: RunId; readonly definition: WorkflowInput['definition'] },
): WorkflowInput {
  const { asStarted: _, ...input } = withDefinition(before, now.definition);
  const { runId } = now;
  return { ...input, runId, ...defined({ cassette: cassetteAgain(site, runId, before.cassette) }) };
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
