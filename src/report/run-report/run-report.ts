import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import {
  holdsOthers,
  type QuestionState,
  type RunState,
  type StepError,
  type Totals,
} from '../../model/run-state.ts';
import { runMs } from '../text/run-words.ts';
import { type FileUse, fileUses } from './file-flow.ts';
import { type Flow, flowOf } from './flow.ts';
import { outlineOf } from './outline.ts';
import { type Span, timelineOf } from './timeline.ts';

/** The content of a report, in the stable format of `report --format json`. The other formats are rendered from it. */
export interface RunReport {
  readonly report_version: 1;
  readonly run: {
    readonly run_id: string;
    readonly kind: string;
    readonly title: string;
    readonly description?: string;
    readonly workflow_file?: string;
    /** `interrupted` also for a run whose process ended without recording it. */
    readonly status: string;
    readonly started_at: string;
    readonly ended_at?: string;
    readonly duration_ms: number;
    readonly error?: { readonly message: string; readonly type: string; readonly step?: string };
  };
  readonly totals: Totals;
  readonly steps: readonly ReportedStep[];
  readonly files: readonly FileUse[];
  readonly timeline: readonly Span[];
  readonly flow: Flow;
  readonly questions: { readonly [key: string]: QuestionState };
}

export interface ReportedStep {
  readonly key: string;
  /** On the first row of a step. */
  readonly description?: string;
  readonly depth: number;
  readonly status: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly attempts?: number;
  readonly visits?: number;
  readonly outcome?: string;
  /** `null` if the agent does not report it. */
  readonly cost_usd?: number | null;
  /** Calls without a reported cost, in addition to `cost_usd`. */
  readonly unknown_cost_calls?: number;
  /** The step only contains other steps, which are counted instead of it. */
  readonly holds?: true;
  readonly items?: number;
  readonly items_completed?: number;
  readonly artifacts?: readonly string[];
  readonly decisions?: readonly string[];
  readonly error?: Pick<StepError, 'message' | 'type'> & Partial<StepError>;
}

export interface ReportSource {
  readonly state: RunState;
  readonly events: readonly JournalEvent[];
  readonly isAlive: boolean;
  /** The current time. */
  readonly now: number;
}

export function createRunReport({ state, events, isAlive, now }: ReportSource): RunReport {
  const isOpen = state.status === 'running' && isAlive;
  const endedAt = isOpen ? undefined : (state.completed_at ?? state.updated_at);
  const file = state['workflow_file'];
  const description = state['description'];
  const steps = stepsOf(state);
  return {
    report_version: 1,
    run: {
      run_id: state.run_id,
      kind: state.kind,
      title: state.title,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof file === 'string' ? { workflow_file: file } : {}),
      status: state.status === 'running' && !isAlive ? 'interrupted' : state.status,
      started_at: state.started_at,
      ...defined({ ended_at: endedAt }),
      duration_ms: runMs(state, { now, isAlive }),
      ...defined({ error: state.error }),
    },
    totals: state.totals,
    steps,
    files: fileUses(events),
    timeline: timelineOf(events, endedAt ?? new Date(now).toISOString()),
    flow: flowOf(events),
    questions: state.waiting_for ?? {},
  };
}

/** The visit's key in the journal: `Fix`, `Fix#2`. */
function visitKey(key: string, index: number): string {
  return index === 0 ? key : `${key}#${index + 1}`;
}

function stepsOf(state: RunState): readonly ReportedStep[] {
  const rows = outlineOf(state, { itemsShown: Number.POSITIVE_INFINITY });
  return rows.flatMap((row): readonly ReportedStep[] => {
    if (row.type === 'loop') {
      const { items, items_left_out, completed_indices, status, error } = row.loop;
      const { started_at, duration_ms, visits, earlier_visits = [] } = row.loop;
      return [
        ...earlier_visits.map(
          (visit, index): ReportedStep => ({
            ...visit,
            key: visitKey(row.key, index),
            depth: row.depth,
            status: visit.status ?? 'interrupted',
            holds: true,
          }),
        ),
        {
          key: visitKey(row.key, (visits ?? 1) - 1),
          depth: row.depth,
          status: status ?? 'running',
          holds: true,
          items: items_left_out ?? items.length,
          items_completed: completed_indices.length,
          ...defined({ description: row.description, started_at, duration_ms, visits, error }),
        },
      ];
    }
    if (row.type !== 'step') return [];
    const { step } = row;
    const holds = holdsOthers(step) ? ({ holds: true } as const) : {};
    return [
      ...(step.earlier_visits ?? []).map(
        (visit, index): ReportedStep => ({
          ...visit,
          key: visitKey(row.key, index),
          depth: row.depth,
          ...holds,
        }),
      ),
      {
        key: visitKey(row.key, (step.visits ?? 1) - 1),
        depth: row.depth,
        status: step.status,
        ...holds,
        ...defined({
          description: row.description,
          started_at: step.started_at,
          duration_ms: step.duration_ms,
          attempts: step.attempts,
          visits: step.visits,
          outcome: step.outcome,
          cost_usd: step.cost_usd,
          unknown_cost_calls: step.unknown_cost_calls,
          artifacts: step.artifacts,
          decisions: step.decisions,
          error: step.error,
        }),
      },
    ];
  });
}
