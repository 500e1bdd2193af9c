import type { JournalEvent } from '../../model/event.ts';
import { holdsOthers, outlineOf } from '../outline.ts';
import type { ErrorView, QuestionView, RunView, TotalsView } from '../run-view.ts';
import { type FileUse, fileUses } from './file-flow.ts';
import { type Flow, flowOf } from './flow.ts';
import { type Span, timelineOf } from './timeline.ts';

/** Everything a report says, in the stable shape of `report --format json`. The other formats are renderings of it. */
export interface RunReport {
  readonly report_version: 1;
  readonly run: {
    readonly run_id: string;
    readonly kind: string;
    readonly title: string;
    readonly workflow_file?: string;
    /** `interrupted` also for a run whose process is gone without having said so. */
    readonly status: string;
    readonly started_at: string;
    readonly ended_at?: string;
    readonly duration_ms: number;
    readonly error?: { readonly message: string; readonly type: string; readonly step?: string };
  };
  readonly totals: TotalsView & { readonly steps: { readonly [status: string]: number } };
  readonly steps: readonly ReportedStep[];
  readonly files: readonly FileUse[];
  readonly timeline: readonly Span[];
  readonly flow: Flow;
  readonly questions: { readonly [key: string]: QuestionView };
}

export interface ReportedStep {
  readonly key: string;
  readonly depth: number;
  readonly status: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly attempts?: number;
  readonly visits?: number;
  readonly outcome?: string;
  /** `null`: an agent that does not say. */
  readonly cost_usd?: number | null;
  /** It only holds other steps, which are counted instead of it. */
  readonly holds?: true;
  readonly items?: number;
  readonly items_completed?: number;
  readonly artifacts?: readonly string[];
  readonly decisions?: readonly string[];
  readonly error?: ErrorView;
}

export interface ReportSource {
  readonly state: RunView;
  readonly events: readonly JournalEvent[];
  readonly isAlive: boolean;
  /** The moment it is looked at. */
  readonly now: number;
}

export function createRunReport({ state, events, isAlive, now }: ReportSource): RunReport {
  const isOpen = state.status === 'running' && isAlive;
  const endedAt = isOpen ? undefined : (state.completed_at ?? state.updated_at);
  const file = state['workflow_file'];
  const steps = stepsOf(state);
  const counts: { [status: string]: number } = { completed: 0, failed: 0, skipped: 0, running: 0 };
  for (const step of steps) if (step.holds !== true) counts[step.status] = (counts[step.status] ?? 0) + 1;
  return {
    report_version: 1,
    run: {
      run_id: state.run_id,
      kind: state.kind,
      title: state.title,
      ...(typeof file === 'string' ? { workflow_file: file } : {}),
      status: state.status === 'running' && !isAlive ? 'interrupted' : state.status,
      started_at: state.started_at,
      ...(endedAt === undefined ? {} : { ended_at: endedAt }),
      duration_ms: (endedAt === undefined ? now : Date.parse(endedAt)) - Date.parse(state.started_at),
      ...(state.error === undefined ? {} : { error: state.error }),
    },
    totals: { ...state.totals, steps: counts },
    steps,
    files: fileUses(events),
    timeline: timelineOf(events, endedAt ?? new Date(now).toISOString()),
    flow: flowOf(events),
    questions: state.waiting_for ?? {},
  };
}

function stepsOf(state: RunView): readonly ReportedStep[] {
  const rows = outlineOf(state, { itemsShown: Number.POSITIVE_INFINITY });
  return rows.flatMap((row): readonly ReportedStep[] => {
    if (row.type === 'loop') {
      const { items, completed_indices, status, error } = row.loop;
      return [
        {
          key: row.key,
          depth: row.depth,
          status: status ?? 'running',
          holds: true,
          items: items.length,
          items_completed: completed_indices.length,
          ...(error === undefined ? {} : { error }),
        },
      ];
    }
    if (row.type !== 'step') return [];
    const { step } = row;
    return [
      {
        key: row.key,
        depth: row.depth,
        status: step.status,
        ...(holdsOthers(step) ? { holds: true } : {}),
        ...(step.started_at === undefined ? {} : { started_at: step.started_at }),
        ...(step.duration_ms === undefined ? {} : { duration_ms: step.duration_ms }),
        ...(step.attempts === undefined ? {} : { attempts: step.attempts }),
        ...(step.visits === undefined ? {} : { visits: step.visits }),
        ...(step.outcome === undefined ? {} : { outcome: step.outcome }),
        ...(step.cost_usd === undefined ? {} : { cost_usd: step.cost_usd }),
        ...(step.artifacts === undefined ? {} : { artifacts: step.artifacts }),
        ...(step.decisions === undefined ? {} : { decisions: step.decisions }),
        ...(step.error === undefined ? {} : { error: step.error }),
      },
    ];
  });
}
