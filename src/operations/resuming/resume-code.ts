/** Resumes, restarts and forks runs of workflows in code; their files may have changed since. */
import type { CodeInput } from '../../code/input.ts';
import { checkReplay, type ReplayDivergence, type ReplayToCheck } from '../../code/replay/check-replay.ts';
import { canBeAccepted } from '../../code/replay/describe-divergence.ts';
import { runCode } from '../../code/run/program.ts';
import { sharedBefore } from '../../engine/fork.ts';
import { readAnswer } from '../../engine/read-answer.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { type LoadedCode, loadCode, loadedWorkflow } from '../code/load-code.ts';
import { codeFacts, codeInputOf, definitionOfCode, digestsOf, planNewCode } from '../code/plan-code.ts';
import { startLoaded } from '../code/start-code.ts';
import { cassetteAgain } from '../definitions/cassettes.ts';
import { mayStart, planOfRun } from '../definitions/plan-run.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { eventsOf, type ReadRun, type RunToResume, type RunWithEvents } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { changedFiles, changeNote } from './changed-files.ts';
import { replayHost } from './replay-host.ts';

export interface ResumeCode {
  /** Keep the recorded answers, whatever the program asks for now. */
  readonly acceptsChanges: boolean;
  /** Continue with the program as it was when the run started. */
  readonly asStarted: boolean;
}

export async function resumeCode(
  site: Site,
  run: RunToResume,
  { acceptsChanges, asStarted }: ResumeCode,
): Promise<Result<Prepared, Problem>> {
  const before = codeInputOf(run);
  const usesCopies = asStarted || before.asStarted === true;
  const loaded = await loadAgain(site, before, usesCopies);
  if (loaded.type === 'error') return loaded;
  const events = eventsOf(run);
  const changed = changedFiles(before.sources, loaded.value.sources);
  const input: CodeInput = {
    ...before,
    ...sourcesOf(loaded.value),
    ...(usesCopies ? { asStarted: true } : {}),
  };
  const divergence = await divergenceOf(site, {
    ...{ input, loaded: loaded.value, events, before: before.sources },
    findAnswer: (key) => readAnswer(runPaths(site.workspace, run.runId), key, run.state.waiting_for?.[key]),
  });
  if (divergence !== undefined && !(acceptsChanges && canBeAccepted(divergence)))
    return error(doesNotFit(run, loaded.value, divergence));
  const isAccepted = divergence !== undefined;
  const now: CodeInput = isAccepted ? { ...input, acceptedAt: site.now().toISOString() } : input;
  const isOther = isAccepted || changed.length > 0 || usesCopies !== (before.asStarted === true);
  const definition = definitionOfCode(loaded.value);
  const may = mayStart(site, definition, now);
  if (may.type === 'error') return may;
  const change = isOther
    ? { input: now as unknown as JsonValue, facts: codeFacts(loaded.value, now) }
    : undefined;
  return ok({
    plan: {
      ...planOfRun(site, definition, now),
      title: run.started.title,
      begin: { type: 'resume', ...defined({ change }) },
    },
    history: run.history,
    warnings: loaded.value.warnings,
    ...(changed.length === 0 ? {} : { notes: [changeNote(changed, isAccepted)] }),
  });
}

/** Plans a new run with the same input; keeps the old one. */
export async function restartCode(site: Site, run: ReadRun): Promise<Result<Prepared, Problem>> {
  const { input, options, cassette, ...before } = codeInputOf(run);
  const loaded = await loadAgain(site, { input, options, ...before }, false);
  if (loaded.type === 'error') return loaded;
  return startLoaded(site, loaded.value, {
    ...{ input, options },
    cassette: (runId) => cassetteAgain(site, runId, cassette),
  });
}

export async function forkCode(
  site: Site,
  run: RunWithEvents,
  step: string,
): Promise<Result<Prepared, Problem>> {
  const shared = sharedBefore(run.events, step);
  if (shared === undefined) return error({ type: 'step-not-reached', runId: run.runId, step });
  const { asStarted: _, ...before } = codeInputOf(run);
  const loaded = await loadAgain(site, before, false);
  if (loaded.type === 'error') return loaded;
  const runId = newRunId(site.workspace);
  const input: CodeInput = {
    ...before,
    ...sourcesOf(loaded.value),
    runId,
    ...defined({ cassette: cassetteAgain(site, runId, before.cassette) }),
  };
  const divergence = await divergenceOf(site, {
    ...{ input, loaded: loaded.value, events: shared, before: before.sources },
  });
  if (divergence !== undefined) return error(doesNotFit(run, loaded.value, divergence));
  return planNewCode(site, { input, loaded: loaded.value, fork: { from: run.runId, shared } });
}

/** For `check --against`: the first divergence, if there is one. */
export function checkCode(
  site: Site,
  { input, events }: { readonly input: CodeInput; readonly events: readonly JournalEvent[] },
  loaded: LoadedCode,
): Promise<ReplayDivergence | undefined> {
  const now = { ...input, ...sourcesOf(loaded) };
  return divergenceOf(site, { input: now, loaded, events, before: input.sources });
}

function doesNotFit(
  { runId }: Pick<ReadRun, 'runId'>,
  { file }: LoadedCode,
  divergence: ReplayDivergence,
): Problem {
  return { type: 'program-does-not-fit', runId, file, divergence };
}

async function loadAgain(
  site: Site,
  { file, name, runId }: CodeInput,
  usesCopies: boolean,
): Promise<Result<LoadedCode, Problem>> {
  if (file !== undefined)
    return loadCode(site, file, usesCopies ? { copies: runPaths(site.workspace, runId).program } : {});
  const workflow = site.inline?.find((each) => each.name === name);
  return workflow === undefined
    ? error({ type: 'workflow-not-given', name, runId })
    : ok(loadedWorkflow(workflow, { file: name, sources: [], warnings: [] }));
}

function sourcesOf({ sources }: LoadedCode): Pick<CodeInput, 'sources'> {
  return { sources: digestsOf(sources) };
}

function divergenceOf(
  site: Site,
  checked: {
    readonly input: CodeInput;
    readonly loaded: LoadedCode;
    readonly events: readonly JournalEvent[];
    /** The files of the program with which the run was last resumed. */
    readonly before: CodeInput['sources'];
    readonly findAnswer?: ReplayToCheck['findAnswer'];
  },
): Promise<ReplayDivergence | undefined> {
  const { workspace } = site;
  const { input, loaded, events, before, findAnswer } = checked;
  const { runId, sources, acceptedAt } = input;
  // What a workflow without a file was like is not known.
  const isAccepted = sources.length > 0 && changedFiles(before, sources).length === 0;
  const { host, redact } = replayHost(site, loaded.secrets);
  return checkReplay({
    site: { runId, workspace, directory: runPaths(workspace, runId).directory },
    ...{ events, outermost: 'code', files: sources.map(({ file }) => file), redact },
    ...defined({ findAnswer, acceptedAt: isAccepted ? acceptedAt : undefined }),
    run: async (durable, replay, signal) => {
      const { failure } = await runCode({ workflow: loaded.workflow, input, durable, signal, host }, replay);
      return failure;
    },
  });
}
