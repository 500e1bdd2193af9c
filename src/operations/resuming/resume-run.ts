/** Resumes a run of any kind: the one place that knows how each kind is resumed. */
import { CODE_PROGRAM } from '../../code/input.ts';
import { CONVERSE_PROGRAM, type ConverseInput } from '../../converse/input.ts';
import { lastInput } from '../../engine/last-input.ts';
import { ITERATE_PROGRAM } from '../../iterate/input.ts';
import type { JournalEvent } from '../../model/event.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { EXECUTE_PROGRAM, type ExecuteInput } from '../../session/execute/input.ts';
import { heldBy } from '../../store/lock.ts';
import { localPath } from '../../store/portable-path.ts';
import { withCodeApart } from '../code-apart.ts';
import { mayStartAgentOf } from '../conversations/agent-trust.ts';
import { keptSettings, pinnedInput, resumeConversationRun, rootNow } from '../conversations/resumed-plan.ts';
import { inputOf } from '../loops/run/left-run.ts';
import { resumeLoop } from '../loops/run/prepare-loop.ts';
import type { NotTrusted, Problem } from '../problem.ts';
import type { LoopHold } from '../run-hold.ts';
import type { Beginning, Prepared, RunKind, RunPlan } from '../run-plan.ts';
import { largeJournal } from '../runs/large-journal.ts';
import { isOfWorkers } from '../runs/of-workers.ts';
import { type ReadRun, type RunToResume, readRunToResume } from '../runs/read-run.ts';
import { resumeExecution } from '../sessions/execute/resume-execution.ts';
import { openUnfinished } from '../sessions/open-session.ts';
import { mayExecute } from '../sessions/trust-tasks.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { mayResume } from '../trust/own-run.ts';
import { restartWorkflow, resumeWorkflow } from './resume-workflow.ts';

export interface ResumeRun {
  readonly run: string;
  /** Resume with the changed workflow, if no completed step has changed. */
  readonly acceptsChanges?: boolean;
  /** For a workflow in code: resume with its files as they were when the run started. */
  readonly asStarted?: boolean;
  /** For a workflow: start a new run with the same input. */
  readonly restarts?: boolean;
  /** For a run of workers: a plan for them, and not only a problem. */
  readonly plansForWorkers?: boolean;
  /** Called for every recorded event while the run is read. */
  onEvent?(event: JournalEvent): void;
}

export type ResumedRun =
  /** A plan to carry out. */
  | (Prepared & { readonly type: 'run' })
  /** Already completed: the plan only finishes cleaning up after its process. */
  | (Prepared & { readonly type: 'completed'; readonly run: ReadRun });

export async function resumeRun(site: Site, asked: ResumeRun): Promise<Result<ResumedRun, Problem>> {
  const { onEvent: _, ...given } = asked;
  const reads = largeJournal(site, asked.run);
  const call = { operation: 'resume-run', asked: given as JsonObject, reads } as const;
  const resumed = await withCodeApart(site, call, (here) => resumeHere(here, asked));
  const isOver = resumed.type === 'ok' && resumed.value.type === 'completed';
  // A run that has completed meanwhile loads nothing any more; another process answers without what it has read of it.
  return isOver && resumed.value.run === undefined ? resumeHere(site, asked) : resumed;
}

async function resumeHere(site: Site, asked: ResumeRun): Promise<Result<ResumedRun, Problem>> {
  const read = readRunToResume(site, asked.run, asked.onEvent);
  if (read.type === 'error') return read;
  const run = read.value;
  if (isOfWorkers(run.started) && asked.restarts !== true && asked.plansForWorkers !== true)
    return error({ type: 'run-of-workers', runId: run.runId });
  const prepared = await resumeRead(site, run, asked);
  if (prepared.type === 'error' || !isOfWorkers(run.started) || asked.restarts === true) return prepared;
  return ok({ ...prepared.value, plan: { ...prepared.value.plan, onWorkers: true } });
}

async function resumeRead(
  site: Site,
  run: RunToResume,
  asked: ResumeRun,
): Promise<Result<ResumedRun, Problem>> {
  const over = whyNot(run, asked);
  if (over !== undefined) return error(over);
  if (run.state.status === 'completed' && asked.restarts !== true)
    return ok({ type: 'completed', run, plan: planTidying(site, run), history: run.history });
  // Workers carry it out, whoever has started it.
  const may = isOfWorkers(run.started) ? ok(undefined) : mayResume(site, run);
  if (may.type === 'error') return may;
  const prepared = await prepare(site, run, asked);
  return prepared.type === 'ok' ? ok({ type: 'run', ...prepared.value }) : prepared;
}

function whyNot({ runId, started, state }: ReadRun, { restarts }: ResumeRun): Problem | undefined {
  const isWorkflow = started.kind === 'workflow';
  if (restarts === true && !isWorkflow) return { type: 'cannot-restart', runId, runKind: started.kind };
  if (state.status !== 'cancelled' || restarts === true) return undefined;
  return { type: 'run-was-cancelled', runId, runKind: started.kind };
}

async function prepare(site: Site, run: RunToResume, asked: ResumeRun): Promise<Result<Prepared, Problem>> {
  const how = { acceptsChanges: asked.acceptsChanges === true, asStarted: asked.asStarted === true };
  if (run.started.program === CODE_PROGRAM) {
    const { resumeCode, restartCode } = await import('./resume-code.ts');
    return asked.restarts === true ? restartCode(site, run) : resumeCode(site, run, how);
  }
  if (run.started.kind === 'workflow')
    return asked.restarts === true ? restartWorkflow(site, run) : resumeWorkflow(site, run, how);
  if (run.started.program === CONVERSE_PROGRAM) return resumeConversation(site, run);
  if (run.started.program === ITERATE_PROGRAM) return resumeLoop(site, run);
  const begin = run.started.program === EXECUTE_PROGRAM ? resumeSession(site, run) : ok(AS_IT_WAS);
  if (begin.type === 'error') return begin;
  const agents = mayStartAgents(site, agentsOf(run));
  if (agents.type === 'error') return agents;
  return ok({ plan: { ...planOf(site, run), begin: begin.value }, history: run.history });
}

const AS_IT_WAS: Beginning = { type: 'resume' };

/** If both the run and the conversation are held, the problem names the run. */
function resumeConversation(site: Site, run: RunToResume): Result<Prepared, Problem> {
  const held = heldBy(run.paths.lock);
  if (held !== undefined) return error({ type: 'held-run', runId: run.runId, held });
  const plan = resumeConversationRun(site, run);
  if (plan.type === 'error') return plan;
  const pinned = pinnedInput(run.milestones);
  if (pinned === undefined) return ok({ plan: plan.value, history: run.history });
  const may = mayConverseAgain(site, plan.value, pinned);
  const notes = keptSettings(pinned, site.workspace);
  return may.type === 'ok' ? ok({ plan: plan.value, history: run.history, notes }) : may;
}

function mayConverseAgain(site: Site, { hold }: RunPlan, pinned: ConverseInput): Result<void, NotTrusted> {
  if (hold?.type !== 'conversation') return ok(undefined);
  const { workspace } = site;
  const folder = localPath(workspace, hold.folder);
  return mayStartAgentOf(site, {
    folder,
    root: rootNow(pinned, { workspace, folder }),
    agent: pinned.agent,
  });
}

/** Runs of other kinds have no file to compare with: they resume with their original input. */
function planOf({ workspace }: Site, run: ReadRun): Omit<RunPlan, 'begin'> {
  const { runId, started } = run;
  const kind = started.kind as RunKind;
  return {
    ...{ runId, workspace, kind, title: started.title, secrets: [] },
    ...(kind === 'iterate' ? { hold: loopHoldOf(run) } : {}),
  };
}

/** A report about a loop also locks its workspace. */
function loopHoldOf(run: ReadRun): LoopHold {
  const { name, workspacePath: folder } = inputOf(run);
  const purpose = run.started.program === ITERATE_PROGRAM ? 'loop' : 'report';
  return { type: 'loop', name, folder, purpose };
}

/** Cleans up a conversation together with its run. */
function planTidying(site: Site, run: ReadRun): RunPlan {
  const plan: RunPlan = { ...planOf(site, run), begin: { type: 'tidy' } };
  const resumed = run.started.program === CONVERSE_PROGRAM ? resumeConversationRun(site, run) : undefined;
  const hold = resumed?.type === 'ok' ? resumed.value.hold : undefined;
  return hold === undefined ? plan : { ...plan, hold };
}

/** The tasks of a session are read again from their files. */
function resumeSession(site: Site, run: RunToResume): Result<Beginning, Problem> {
  const { session: id } = lastInput(run.milestones) as unknown as ExecuteInput;
  const session = openUnfinished(site, id);
  if (session.type === 'error') return session;
  const may = mayExecute(site, session.value);
  return may.type === 'ok' ? ok(resumeExecution(session.value, run)) : may;
}

function agentsOf({ milestones }: ReadRun): readonly string[] {
  const input = lastInput(milestones);
  const agent = isJsonObject(input) ? input['agent'] : undefined;
  const adapter = isJsonObject(agent) ? agent['adapter'] : undefined;
  return typeof adapter === 'string' ? [adapter] : [];
}
