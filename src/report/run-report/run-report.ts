import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { itemName } from '../../model/item-name.ts';
import {
  type EarlierVisit,
  holdsOthers,
  type QuestionState,
  type RunState,
  type StepError,
  type StepState,
  type Totals,
} from '../../model/run-state.ts';
import { runMs } from '../text/run-words.ts';
import { type FileUse, fileUses } from './file-flow.ts';
import { type Flow, flowOf } from './flow.ts';
import { EVERYTHING, type OutlineRow, outlineOf } from './outline.ts';
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
    /** The run, or the folder, whose answers of agents it replayed: they cost nothing. */
    readonly replayed_from?: string;
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
  /** The name of the innermost item it belongs to. */
  readonly item?: string;
  readonly depth: number;
  readonly status: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
  readonly attempts?: number;
  readonly visits?: number;
  readonly outcome?: string;
  /** It failed, and its `allow_failure`, or that of a step around it, let the run continue. */
  readonly failure_allowed?: true;
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
  const source = state['replayed_from'];
  const steps = stepsOf(state);
  return {
    report_version: 1,
    run: {
      run_id: state.run_id,
      kind: state.kind,
      title: state.title,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof file === 'string' ? { workflow_file: file } : {}),
      ...(typeof source === 'string' ? { replayed_from: source } : {}),
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

function stepsOf(state: RunState): readonly ReportedStep[] {
  /** The items around the current row, the innermost last. */
  const around: Extract<OutlineRow, { type: 'item' }>[] = [];
  /** The depth of the step around the current row whose failure is allowed, or that completed in spite of failures in it. */
  let allowedAt = Number.POSITIVE_INFINITY;
  return outlineOf(state, EVERYTHING).flatMap((row): readonly ReportedStep[] => {
    while ((around.at(-1)?.depth ?? -1) >= row.depth) around.pop();
    if (row.type === 'item') around.push(row);
    if (row.type !== 'loop' && row.type !== 'step') return [];
    const item = itemName(around.at(-1)?.text ?? '');
    const { key, depth, description } = row;
    const own = row.type === 'loop' ? row.loop : row.step;
    const isSettled = own.status === 'completed' && (row.type === 'loop' || holdsOthers(row.step));
    if (depth <= allowedAt)
      allowedAt = own.failure_allowed === true || isSettled ? depth : Number.POSITIVE_INFINITY;
    const named = {
      ...{ key, depth, ...defined({ item: item === '' ? undefined : item, description }) },
      ...(own.status === 'failed' && depth >= allowedAt ? { failure_allowed: true as const } : {}),
    };
    if (row.isRevisited) Object.assign(named, { visits: row.visit });
    if (row.type === 'loop') {
      const { items, completed, failure_allowed: _, ...loop } = row.loop;
      return [{ ...named, holds: true, items, items_completed: completed, ...loop }];
    }
    return [{ ...named, ...reported(row.step) }];
  });
}

function reported(step: StepState | EarlierVisit): Omit<ReportedStep, 'key' | 'depth'> {
  const { status, started_at, duration_ms, attempts, outcome, cost_usd, unknown_cost_calls, error } = step;
  const { artifacts, decisions } = step as Partial<StepState>;
  return {
    status,
    ...(holdsOthers(step) ? { holds: true } : {}),
    ...defined({ started_at, duration_ms, attempts, outcome, cost_usd, unknown_cost_calls }),
    ...defined({ artifacts, decisions, error }),
  };
}
