/** Plans a run that resumes a conversation. */
import { resolve } from 'node:path';
import { sessionLock } from '../../converse/layout.ts';
import { type Listed, listConversations, type ReadConversation } from '../../converse/sessions.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { heldBy } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';
import type { Prepared, RunPlan } from '../run-plan.ts';
import { isOfWorkers, onWorkersIf } from '../runs/of-workers.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { mayResume } from '../trust/own-run.ts';
import { mayStartAgentOf } from './agent-trust.ts';
import { runningProblem, unreadableProblem } from './conversation-problem.ts';
import { type ConversationFolder, findNamed, noneYet, openFolder } from './folder.ts';
import { inputFor, loadSettings, mayConverse, planNew } from './plan-conversation.ts';
import { eventsOf, keptSettings, pinnedInput, resumedHold, resumedPlan, rootNow } from './resumed-plan.ts';

export interface ResumeConversation {
  /** The workspace. */
  readonly dir: string;
  /** Its id. Default: the only one that is not completed. */
  readonly session?: string;
  /** A new limit. */
  readonly maxIterations?: number;
}

export type ResumedConversation =
  | (Prepared & { readonly type: 'run' })
  | {
      readonly type: 'completed';
      readonly sessionId: string;
      /** Finishes what the process of its run may not have done. */
      readonly plan?: RunPlan;
      /** Why the state of its run is unknown. */
      readonly unreadable?: Problem;
    };

export function resumeConversation(
  site: Site,
  asked: ResumeConversation,
): Result<ResumedConversation, Problem> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  const chosen = choose(opened.value, asked.session);
  if (chosen.type === 'error') return chosen;
  const found = chosen.value;
  const held = heldBy(sessionLock(found.base, found.sessionId));
  if (held !== undefined) return error(runningProblem(found.sessionId, held));
  if (found.type === 'unreadable') return error(unreadableProblem(found.problem));
  const left = leftRun(site, found);
  if (found.session.status === 'completed') {
    const completed = completedRun(found, left, opened.value.shown);
    if (completed !== undefined) return ok(completed);
  }
  if (left.events.type === 'error') return left.events;
  const { home, runId } = left;
  const events = left.events.value;
  const pinned = pinnedInput(events);
  if (runId === undefined || pinned === undefined)
    return restart(site, { ...opened.value, found, home }, asked);
  const started = events.find((event) => event.type === 'run-started');
  const shared = started === undefined ? {} : onWorkersIf(started);
  const may = shared.onWorkers === true ? ok(undefined) : mayResume(home, { runId, milestones: events });
  if (may.type === 'error') return may;
  const { folder } = found;
  const root = rootNow(pinned, { workspace: home.workspace, folder });
  const agent = mayStartAgentOf(site, { folder, root, agent: pinned.agent });
  if (agent.type === 'error') return agent;
  const { shown } = opened.value;
  const { maxIterations } = asked;
  const plan = resumedPlan(pinned, {
    runId,
    workspace: home.workspace,
    shown,
    conversation: found,
    maxIterations,
  });
  const notes = keptSettings(pinned, home.workspace);
  return ok({ type: 'run', plan: { ...plan, ...shared }, earlier: events, notes });
}

/** Without a name: the only one that is not completed. */
function choose(at: ConversationFolder, sessionId: string | undefined): Result<Listed, Problem> {
  if (sessionId !== undefined) return findNamed(at, sessionId);
  const all = listConversations(at.folder);
  if (all.length === 0) return error(noneYet(at));
  const open = all.filter((one) => one.type === 'unreadable' || one.status !== 'completed');
  const [only, ...others] = open.length === 0 ? all : open;
  if (only !== undefined && (others.length === 0 || open.length === 0)) return ok(only);
  return error({ type: 'several-conversations', found: open.map((one) => one.sessionId) });
}

interface LeftRun {
  /** The site of the run. */
  readonly home: Site;
  readonly runId: RunId | undefined;
  /** Empty if it never started or was removed. */
  readonly events: Result<readonly JournalEvent[], Problem>;
}

function leftRun(site: Site, { folder, session: { metadata } }: ReadConversation): LeftRun {
  const runId = parseRunId(String(metadata['run_id'] ?? ''));
  const workspace = resolve(folder, String(metadata['run_folder'] ?? '.'));
  const events = runId === undefined ? ok([]) : eventsOf(workspace, runId);
  return { home: { ...site, workspace }, runId, events };
}

/** Undefined: the document says completed, but the run was killed before it recorded that. */
function completedRun(
  found: ReadConversation,
  { home: { workspace }, runId, events }: LeftRun,
  shown: string,
): Extract<ResumedConversation, { type: 'completed' }> | undefined {
  const { sessionId } = found;
  if (events.type === 'error') return { type: 'completed', sessionId, unreadable: events.error };
  const last = events.value.at(-1);
  const [started] = events.value;
  if (runId === undefined || last === undefined) return { type: 'completed', sessionId };
  if (last.type !== 'run-ended') return undefined;
  const tidied = { runId, workspace, kind: 'converse', title: '', begin: { type: 'tidy' } } as const;
  const hold = resumedHold(found, { shown, workspace });
  // A worker has finished everything.
  const isShared = started?.type === 'run-started' && isOfWorkers(started);
  if (isShared) return { type: 'completed', sessionId };
  return { type: 'completed', sessionId, plan: { ...tidied, secrets: [], hold } };
}

/** Restarts a conversation whose run never started or was removed. No iteration is recorded, so nothing is repeated. */
function restart(
  site: Site,
  at: ConversationFolder & { readonly found: ReadConversation; readonly home: Site },
  asked: ResumeConversation,
): Result<ResumedConversation, Problem> {
  const { folder, shown, found, home } = at;
  const { session, sessionId } = found;
  if (session.current_iteration > 0)
    return error({ type: 'run-of-conversation-gone', conversation: sessionId, folder: shown });
  const { metadata } = session;
  const isDryRun = metadata['dry_run'] === true;
  const agent = isDryRun ? undefined : metadata['agent'];
  const loaded = loadSettings(at, typeof agent === 'string' ? { agent } : {});
  if (loaded.type === 'error') return loaded;
  const config = loaded.value;
  const may = mayConverse(site, { folder, config }, { isDryRun });
  if (may.type === 'error') return may;
  const maxIterations = asked.maxIterations ?? metadata['max_iterations'];
  const task = String(metadata['task'] ?? config.task ?? '');
  const { workspace } = home;
  const input = inputFor(
    found,
    { config, task, workspace },
    {
      isDryRun,
      ...(typeof maxIterations === 'number' ? { maxIterations } : {}),
    },
  );
  const insteadOf = String(metadata['run_id'] ?? '');
  const conversation = { type: 'restarted', base: input.base, insteadOf } as const;
  const hold = { type: 'conversation', sessionId, folder: input.folder, shown, conversation } as const;
  const plan = planNew(input, { runId: newRunId(workspace), workspace, hold });
  return ok({ type: 'run', plan });
}
