/**
 * Everything in a workspace that waits for a person. A run that failed or was interrupted counts until a later run of the same kind
 * and title has started.
 */
import { defined } from '../../model/defined.ts';
import { listLoops } from '../loops/list-loops.ts';
import { getPhases } from '../phases/get-phases.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import { readSession } from '../sessions/read-session.ts';
import type { Site } from '../site.ts';
import type { OpenQuestion, RunSummary } from './run-summary.ts';

export type InboxItem =
  | (OfRun & { readonly type: 'question'; readonly question: OpenQuestion })
  | (OfRun & {
      readonly type: 'failed' | 'cut-off' | 'damaged';
      readonly step?: string;
      readonly message: string;
    })
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
  items.push(...loopItems(site), ...taskItems(site), ...phaseItems(site));
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
  if (run.status === 'failed')
    return [
      { type: 'failed', at, ...of, ...defined({ step: error?.step }), message: error?.message ?? line },
    ];
  if (run.status === 'interrupted') return [{ type: 'cut-off', at, ...of, message: line }];
  return [];
}

/** What cannot be read is reported by its own screen. */
function loopItems(site: Site): readonly InboxItem[] {
  const loops = listLoops(site, {});
  if (loops.type === 'error') return [];
  return loops.value.found
    .filter(({ metadata }) => metadata.status === 'error')
    .map(({ metadata }) => ({
      type: 'loop',
      at: metadata.lastRun ?? metadata.created,
      title: metadata.name,
      name: metadata.name,
      message: metadata.stopReason ?? 'stopped with an error',
    }));
}

function taskItems(site: Site): readonly InboxItem[] {
  const listed = listSessions(site);
  if (listed.type === 'error') return [];
  return listed.value.sessions
    .filter(({ state }) => state === 'active')
    .flatMap(({ id }) => {
      const session = readSession(site, { session: id });
      if (session.type === 'error') return [];
      return session.value.tasks
        .filter(
          ({ status, lastError }) =>
            status === 'blocked' || (status !== 'completed' && lastError !== undefined),
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

function phaseItems(site: Site): readonly InboxItem[] {
  const phases = getPhases(site);
  if (phases.type === 'error') return [];
  return phases.value.document.phases
    .filter(({ status }) => status === 'failed')
    .map(({ id, title, error, completed_at, started_at }) => ({
      type: 'phase',
      at: completed_at ?? started_at ?? '',
      title,
      name: id,
      message: error ?? 'failed',
    }));
}

const RANKS = { question: 0, damaged: 1, failed: 1, 'cut-off': 1, phase: 2, task: 2, loop: 2 } as const;

function rank({ type }: InboxItem): number {
  return RANKS[type];
}
