/** Resumes or restarts a workflow run; its file may have changed since. */
import { defined } from '../../model/defined.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import { keepItems } from '../../workflow/kept-items.ts';
import { loadNotify, workflowDigest } from '../../workflow/load/load-file.ts';
import type { LoadedWorkflow } from '../../workflow/load/load-workflow.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { eventsOf, type ReadRun, type RunToResume } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { leakIn } from './leaked-secret.ts';
import { loadForRun } from './load.ts';
import {
  factsOf,
  inputAgain,
  inputOf,
  mayStartAgentsOf,
  planNew,
  planOf,
  withDefinition,
} from './plan-workflow.ts';

export function resumeWorkflow(
  site: Site,
  run: RunToResume,
  { acceptsChanges }: { readonly acceptsChanges: boolean },
): Result<Prepared, Problem> {
  const input = inputOf(run);
  const loaded = hasSameFile(site, run, input) ? ok(undefined) : loadAgain(site, input);
  if (loaded.type === 'error') return loaded;
  const changed =
    loaded.value === undefined
      ? ok(undefined)
      : acceptedChange(site, { run, input, loaded: loaded.value, acceptsChanges });
  if (changed.type === 'error') return changed;
  const change = changed.value;
  const { definition } = loaded.value ?? input;
  const current = change === undefined ? input : withDefinition(input, definition);
  const may = mayStartAgentsOf(site, current);
  if (may.type === 'error') return may;
  return ok({
    plan: {
      ...planOf(site, run.runId, { ...input, definition }),
      title: run.started.title,
      ...(definition.notifies === true ? { notify: loadNotify(site.workspace, definition.file) } : {}),
      begin: { type: 'resume', ...defined({ change }) },
    },
    history: run.history,
    ...defined({ warnings: loaded.value?.warnings }),
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
export function restartWorkflow(site: Site, run: ReadRun): Result<Prepared, Problem> {
  const before = inputOf(run);
  const loaded = loadAgain(site, before);
  if (loaded.type === 'error') return loaded;
  const { definition } = loaded.value;
  // For a fork, this is the time of the run it reused.
  const {
    timestampUtc: _,
    kept: __,
    ...input
  } = inputAgain(site, before, {
    runId: newRunId(site.workspace),
    definition,
  });
  return planNew(site, { input, loaded: loaded.value });
}

function loadAgain(site: Site, { definition, context }: WorkflowInput) {
  return loadForRun(site, definition.file, { context, isRecorded: true });
}

interface Change {
  readonly input: JsonValue;
  readonly facts: JsonObject;
}

/** Undefined if nothing has changed. */
function acceptedChange(
  site: Site,
  resumed: {
    readonly run: ReadRun;
    readonly input: WorkflowInput;
    readonly loaded: LoadedWorkflow;
    readonly acceptsChanges: boolean;
  },
): Result<Change | undefined, Problem> {
  const { run, input, loaded, acceptsChanges } = resumed;
  if (run.state['workflow_checksum'] === loaded.checksum) return ok(undefined);
  const events = eventsOf(run);
  const { completed, ...differences } = changedSteps(input.definition, loaded.definition, events);
  const hasChanged = Object.values(differences).some((each) =>
    Array.isArray(each) ? each.length > 0 : each,
  );
  if (hasChanged && (!acceptsChanges || completed.length > 0))
    return error({
      type: 'workflow-changed',
      runId: run.runId,
      file: input.definition.file,
      differences: { ...differences, completed },
    });
  const before = input.kept ?? [];
  const kept = hasChanged ? keepItems(input.definition, events, before) : before;
  const changed: WorkflowInput = {
    ...withDefinition(input, loaded.definition),
    ...(kept.length === 0 ? {} : { kept }),
  };
  const leak = leakIn(site, { input: changed, secrets: secretNames(changed.definition) });
  if (leak !== undefined) return error(leak);
  return ok({ input: changed as unknown as JsonValue, facts: factsOf(loaded, changed) });
}
