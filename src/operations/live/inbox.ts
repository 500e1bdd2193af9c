/**
 * Everything in a workspace that waits for a person. A run that failed or was interrupted counts until a later run of the same kind
 * and title has started.
 */
import { defined } from '../../model/defined.ts';
import { type ListedLoop, listLoops } from '../loops/list-loops.ts';
import { getPhases } from '../phases/get-phases.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import { readSession } from '../sessions/read-session.ts';
import type { Site } from '../site.ts';
import type { OpenQuestion, RunError, RunSummary } from './run-summary.ts';

export type InboxItem =
  | (OfRun & { readonly type: 'question'; readonly question: OpenQuestion })
  | (OfRun & {
      readonly type: 'failed' | 'cut-off' | 'damaged';
      readonly step?: string;
      readonly message: string;
      readonly advice?: NonNullable<RunError['advice']>;
    })
  /** It failed because it reached limits, and continues once they are raised. */
  | (OfRun & { readonly type: 'limit'; readonly message: string; readonly limits: readonly string[] })
  | {
      readonly type: 'loop' | 'task' | 'phase';
      readonly at: string;
      readonly title: string;
      /** Its name or id. */
      readonly name: string;
      readonly message: string;
    };

interface OfRun {
  readonly at: string;
  readonly run_id: string;
  readonly title: string;
  readonly kind: string;
  readonly line: string;
  readonly workflow_file?: string;
}

export function inboxOf(site: Site, runs: readonly RunSummary[]): readonly InboxItem[] {
  const items: InboxItem[] = [];
  const seen = new Set<string>();
  for (const run of runs) {
    const name = `${run.kind} ${run.title}`;
    const isNewest = !seen.has(name);
    seen.add(name);
    items.push(...itemsOf(run, isNewest));
  }
  // What a run says about itself is not said again by its loop, task or phase.
  const isSaid = (runId: string | undefined) =>
    items.some((item) => 'run_id' in item && item.run_id === runId);
  const isSaidOfStep = (runId: string | undefined, task: string) =>
    items.some(
      (item) => item.type === 'failed' && item.run_id === runId && item.step?.startsWith(`${task}/`),
    );
  items.push(...loopItems(site, isSaid), ...taskItems(site, isSaidOfStep), ...phaseItems(site, isSaid));
  return items.sort((a, b) => rank(a) - rank(b) || (a.at < b.at ? 1 : -1));
}

function itemsOf(run: RunSummary, isNewest: boolean): readonly InboxItem[] {
  const { run_id, title, kind, line, workflow_file, error } = run;
  const of = { run_id, title, kind, line, ...defined({ workflow_file }) };
  if (run.questions.length > 0 && run.status !== 'cancelled' && run.status !== 'completed')
    return run.questions.map((question) => ({ type: 'question', at: question.asked_at, ...of, question }));
  if (!isNewest || run.mark === 'trial') return [];
  const at = run.completed_at ?? run.updated_at;
  if (run.status === 'damaged') return [{ type: 'damaged', at, ...of, message: run.damage ?? line }];
  if (run.status === 'failed' && error?.raise !== undefined)
    return [{ type: 'limit', at, ...of, message: error.message, limits: error.raise }];
  if (run.status === 'failed')
    return [
      {
        ...{ type: 'failed', at, ...of, message: error?.message ?? line },
        ...defined({ step: error?.step, advice: error?.advice }),
      },
    ];
  if (run.status === 'interrupted') return [{ type: 'cut-off', at, ...of, message: line }];
  return [];
}

type IsSaid = (runId: string | undefined) => boolean;

/** What cannot be read is reported by its own screen. */
function loopItems(site: Site, isSaid: IsSaid): readonly InboxItem[] {
  const loops = listLoops(site, {});
  if (loops.type === 'error') return [];
  return loops.value.found.flatMap((loop): readonly InboxItem[] => {
    const { metadata } = loop;
    const message = blockerOf(loop);
    if (message === undefined || isSaid(metadata.run?.id)) return [];
    const { name, created, lastRun } = metadata;
    return [{ type: 'loop', at: lastRun ?? created, title: name, name, message }];
  });
}

/** Why a loop that is not running needs a person. */
function blockerOf({ metadata, isRunning }: ListedLoop): string | undefined {
  if (isRunning) return undefined;
  const { status, stopReason, run } = metadata;
  const left =
    run?.remaining == null ? '' : `; ${run.remaining} ${run.remaining === 1 ? 'item' : 'items'} left`;
  if (stopReason === 'max-iterations')
    return `reached its maximum of ${run?.maxIterations ?? metadata.maxIterations ?? '?'} iterations${left}`;
  if (stopReason === 'budget') return `its budget is used up${left}`;
  if (stopReason === 'verification') return 'its verification failed';
  return status === 'error' ? (run?.summary ?? stopReason ?? 'stopped with an error') : undefined;
}

function taskItems(
  site: Site,
  isSaid: (runId: string | undefined, task: string) => boolean | undefined,
): readonly InboxItem[] {
  const listed = listSessions(site);
  if (listed.type === 'error') return [];
  return listed.value.sessions
    .filter(({ state }) => state === 'active')
    .flatMap(({ id }) => {
      const session = readSession(site, { session: id });
      if (session.type === 'error') return [];
      return session.value.tasks
        .filter(
          ({ id: task, status, lastError }) =>
            (status === 'blocked' || (status !== 'completed' && lastError !== undefined)) &&
            !isSaid(session.value.file.run_id, task),
        )
        .map((task) => ({
          type: 'task' as const,
          at: session.value.file.created_at ?? '',
          title: `${id} · ${task.id}`,
          name: task.id,
          message: `${task.title}: ${task.lastError ?? task.status}`,
        }));
    });
}

function phaseItems(site: Site, isSaid: IsSaid): readonly InboxItem[] {
  const phases = getPhases(site);
  if (phases.type === 'error') return [];
  return phases.value.document.phases
    .filter(({ status, run_id }) => status === 'failed' && !isSaid(run_id))
    .map(({ id, title, error, completed_at, started_at }) => ({
      type: 'phase',
      at: completed_at ?? started_at ?? '',
      title,
      name: id,
      message: error ?? 'failed',
    }));
}

const RANKS = {
  ...{ question: 0, limit: 1, damaged: 1, failed: 1, 'cut-off': 1 },
  ...{ phase: 2, task: 2, loop: 2 },
} as const;

function rank({ type }: InboxItem): number {
  return RANKS[type];
}
