/** Resumes or restarts a run of a workflow file; the file, and the programs in code that it calls, may have changed since. */
import { canBeAccepted } from '../../code/replay/describe-divergence.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import { keepItems } from '../../workflow/kept-items.ts';
import { loadNotify, workflowDigest } from '../../workflow/load/load-file.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import { leakIn } from '../definitions/leaked-secret.ts';
import { mayStart, planOfRun } from '../definitions/plan-run.ts';
import type { InvalidFile, Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { eventsOf, type ReadRun, type RunToResume } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { calledPrograms, type LoadedFile, loadForRun } from '../workflows/load.ts';
import {
  definitionOf,
  factsOf,
  inputAgain,
  inputOf,
  planNew,
  withDefinition,
} from '../workflows/plan-workflow.ts';
import { askedDifferently, changedFiles, changeNote, unfitting } from './changed-files.ts';

export interface ResumeWorkflow {
  /** Resume with the changed file, if no completed step has changed; keep recorded answers of changed programs. */
  readonly acceptsChanges: boolean;
  /** Continue with the programs in code as they were when the run started. */
  readonly asStarted: boolean;
}

export async function resumeWorkflow(
  site: Site,
  run: RunToResume,
  how: ResumeWorkflow,
): Promise<Result<Prepared, Problem>> {
  const before = inputOf(run);
  const usesCopies = before.programs !== undefined && (how.asStarted || before.asStarted === true);
  const loaded = hasSameFile(site, run, before) ? ok(undefined) : await loadAgain(site, before, usesCopies);
  if (loaded.type === 'error') return loaded;
  const changed =
    loaded.value === undefined
      ? ok<Change>({ input: before })
      : await changeOf(site, { run, before, loaded: loaded.value, usesCopies, ...how });
  if (changed.type === 'error') return changed;
  const { input, facts, notes } = changed.value;
  const definition = definitionOf(input);
  const may = mayStart(site, definition, input);
  if (may.type === 'error') return may;
  const change = facts === undefined ? undefined : { input: input as unknown as JsonValue, facts };
  return ok({
    plan: {
      ...planOfRun(site, definition, input),
      title: run.started.title,
      ...(input.definition.notifies === true ? { notify: loadNotify(site.workspace, definition.file) } : {}),
      begin: { type: 'resume', ...defined({ change }) },
    },
    history: run.history,
    ...defined({ warnings: loaded.value?.warnings, notes }),
  });
}

/**
 * A file that is as it was, and calls no other, was checked when the run started. Loading it again would take longer than everything else if
 * it has a long list of items.
 */
function hasSameFile({ workspace }: Site, { state }: ReadRun, { definition }: WorkflowInput): boolean {
  return state['workflow_checksum'] === workflowDigest(workspace, definition.file);
}

/** Plans a new run with the same input; keeps the old one. */
export async function restartWorkflow(site: Site, run: ReadRun): Promise<Result<Prepared, Problem>> {
  const before = inputOf(run);
  const loaded = await loadAgain(site, before, false);
  if (loaded.type === 'error') return loaded;
  const { definition } = loaded.value;
  // For a fork, this is the time of the run it reused.
  const {
    timestampUtc: _,
    kept: __,
    acceptedAt: ___,
    ...input
  } = inputAgain(site, before, {
    runId: newRunId(site.workspace),
    definition,
  });
  return planNew(site, { input, loaded: loaded.value });
}

function loadAgain(
  site: Site,
  { definition, context, runId }: WorkflowInput,
  usesCopies: boolean,
): Promise<Result<LoadedFile, InvalidFile>> {
  const copies = usesCopies ? { copies: runPaths(site.workspace, runId).program } : {};
  return loadForRun(site, definition.file, { context, isRecorded: true, ...copies });
}

interface Resumed extends ResumeWorkflow {
  readonly run: RunToResume;
  readonly before: WorkflowInput;
  readonly loaded: LoadedFile;
  readonly usesCopies: boolean;
}

/** `facts` if the run continues with another input. */
interface Change {
  readonly input: WorkflowInput;
  readonly facts?: JsonObject;
  readonly notes?: readonly string[];
}

async function changeOf(site: Site, resumed: Resumed): Promise<Result<Change, Problem>> {
  const { run, before, loaded, usesCopies, acceptsChanges } = resumed;
  const isSame = run.state['workflow_checksum'] === loaded.checksum;
  if (isSame && before.programs === undefined) return ok({ input: before });
  const events = eventsOf(run);
  const changed = isSame ? ok({ input: before, hasChanged: false }) : changedInput(resumed, events);
  if (changed.type === 'error') return changed;
  const programs = calledPrograms(loaded.programs);
  const { programs: _, asStarted: __, ...own } = changed.value.input;
  const now: WorkflowInput = { ...own, ...programs, ...(usesCopies ? { asStarted: true } : {}) };
  const { hasChanged } = changed.value;
  const files = changedFiles(sourcesOf(before), sourcesOf(now));
  const mustCheck = hasChanged || now.programs !== undefined;
  // Loaded only for this: it brings all of what runs code.
  const replayed = mustCheck
    ? await (await import('./replay-workflow.ts')).replayWorkflow(site, {
        ...{ input: now, loaded, events },
        isAccepted: !hasChanged && files.length === 0,
      })
    : undefined;
  const { divergence, otherInputs = [] } = replayed ?? {};
  // The program has not changed: its input has.
  const isGivenOther = divergence !== undefined && files.length === 0;
  const asked = isGivenOther ? [...otherInputs, ownerOf(divergence.key as StepKey)] : otherInputs;
  if (hasChanged && !acceptsChanges) return error(notAccepted(resumed, events, asked));
  if (divergence !== undefined && !(acceptsChanges && canBeAccepted(divergence)))
    return error(unfitting(run.runId, now, divergence));
  const input: WorkflowInput =
    divergence === undefined ? now : { ...now, acceptedAt: site.now().toISOString() };
  const leak = leakIn(site, { input, secrets: definitionOf(input).secrets });
  if (leak !== undefined) return error(leak);
  const notes = [
    ...(files.length === 0 ? [] : [changeNote(files, divergence !== undefined)]),
    ...askedDifferently(asked),
  ];
  const isOther = !isSame || divergence !== undefined || usesCopies !== (before.asStarted === true);
  return ok({
    input,
    ...(isOther ? { facts: factsOf(loaded, input) } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  });
}

function sourcesOf({ programs = [] }: WorkflowInput) {
  return programs.flatMap(({ sources }) => sources);
}

/** The input with the changed file, unless that changes completed work. */
function changedInput(
  { run, before, loaded }: Resumed,
  events: readonly JournalEvent[],
): Result<{ readonly input: WorkflowInput; readonly hasChanged: boolean }, Problem> {
  const { completed, ...differences } = changedSteps(before.definition, loaded.definition, events);
  const hasChanged = Object.values(differences).some((each) =>
    Array.isArray(each) ? each.length > 0 : each,
  );
  const { file } = before.definition;
  if (hasChanged && completed.length > 0)
    return error({
      ...{ type: 'workflow-changed', runId: run.runId, file },
      differences: { ...differences, completed },
    });
  const kept = hasChanged ? keepItems(before.definition, events, before.kept ?? []) : (before.kept ?? []);
  const input = { ...withDefinition(before, loaded.definition), ...(kept.length === 0 ? {} : { kept }) };
  return ok({ input, hasChanged });
}

function notAccepted(
  { run, before, loaded }: Resumed,
  events: readonly JournalEvent[],
  asked: readonly string[],
): Problem {
  const differences = changedSteps(before.definition, loaded.definition, events);
  const { file } = before.definition;
  return { type: 'workflow-changed', runId: run.runId, file, differences, asked };
}
