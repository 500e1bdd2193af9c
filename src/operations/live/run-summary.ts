/** A run in a list: its figures, a strip of its steps by time, and one sentence about where it is. */
import type { IndexRow } from '../../engine/index-row.ts';
import { defined } from '../../model/defined.ts';
import type { RunStatus } from '../../model/event.ts';
import type { Field } from '../../model/field.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import type { ResumeAdvice } from '../../model/resume-advice.ts';
import { type RunState, STATE_SCHEMA_VERSION } from '../../model/run-state.ts';
import { unreachable } from '../../model/unreachable.ts';
import { readRecordAt } from '../../store/journal-tail.ts';
import type { LiveRun } from './live-run.ts';
import { type Span, timelineOf } from './timeline.ts';

export interface RunSummary {
  readonly run_id: string;
  readonly status: RunStatus | 'damaged';
  readonly process_alive: boolean;
  readonly kind: string;
  readonly title: string;
  readonly workflow_file?: string;
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at?: string;
  readonly duration_ms: number;
  readonly totals: RunState['totals'];
  /** One sentence: the question, the failed step, how far it is. */
  readonly line: string;
  readonly questions: readonly OpenQuestion[];
  /** Items of its outermost loop. */
  readonly progress?: { readonly step: string; readonly done: number; readonly total: number };
  readonly current_step?: string;
  readonly error?: RunError;
  /** When its usage limit or its pause ends. */
  readonly sleeps_until?: string;
  /** Its process is gone without having recorded an end. */
  readonly cut_off?: true;
  readonly damage?: string;
  readonly strip: { readonly from: number; readonly to: number; readonly spans: readonly Span[] };
  /** A trial run, or a replay of another. */
  readonly mark?: string;
}

export interface OpenQuestion {
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
  readonly asked_at: string;
  readonly fields?: readonly Field[];
  /** There is more to see before the answer: the input of a tool call, or a patch (`read-question.ts`). */
  readonly has_more?: true;
}

export interface RunError {
  readonly message: string;
  /** The innermost step that failed. */
  readonly step?: string;
  /** Its key. */
  readonly key?: string;
  /** The last line that it printed. */
  readonly last_words?: string;
  /** Limits that it has reached, in words: without raising them, resuming would fail again. */
  readonly raise?: readonly string[];
  /** What to do instead of just resuming it, which would fail again. */
  readonly advice?: Extract<ResumeAdvice, { readonly type: 'first' | 'restart' }>;
}

const STRIP_SPANS = 48;
const LONGEST_WORDS = 200;

/** The run has at least started, or is damaged. */
export function summarize(run: LiveRun, now: number): RunSummary {
  const state = run.state ?? unbegun(run);
  const { kind, title, started_at, updated_at, completed_at, duration_ms, totals, error } = state;
  const workflowFile = state['workflow_file'];
  const progress = progressOf(run.index.roots);
  const { from, to, spans } = timelineOf(run, { most: STRIP_SPANS, now });
  const mark = state['trial'] === undefined ? undefined : 'trial';
  const sleeps = [...Object.values(state.limits ?? {}).map(({ next_at }) => next_at)];
  sleeps.push(...Object.values(state.sleeping_until ?? {}));
  return {
    run_id: run.runId,
    status: run.damage === undefined ? (run.state === undefined ? 'damaged' : state.status) : 'damaged',
    process_alive: run.isAlive,
    ...{ kind, title, started_at, updated_at, ...defined({ completed_at }), duration_ms, totals },
    ...(typeof workflowFile === 'string' ? { workflow_file: workflowFile } : {}),
    line: lineOf(run, state, progress),
    questions: questionsOf(state),
    ...defined({ progress, current_step: state.current_step ?? undefined, mark }),
    ...(error === undefined ? {} : { error: errorOf(run, error) }),
    ...defined({ sleeps_until: sleeps.sort()[0] }),
    ...(run.isAbandoned ? { cut_off: true } : {}),
    ...(run.damage === undefined ? {} : { damage: run.damage.message }),
    strip: { from, to, spans },
  };
}

export function questionsOf({ waiting_for: waiting = {} }: RunState): readonly OpenQuestion[] {
  return Object.entries(waiting).map(([key, { message, choices, asked_at, fields, detail, diff }]) => ({
    ...{ key, message, choices, asked_at },
    ...defined({ fields }),
    ...(detail === undefined && diff === undefined ? {} : { has_more: true }),
  }));
}

function lineOf(run: LiveRun, state: RunState, progress: RunSummary['progress']): string {
  if (run.damage !== undefined) return `its journal is damaged: ${run.damage.message}`;
  if (run.state === undefined) return 'it was interrupted before it started';
  const items = progress === undefined ? undefined : `${progress.done} of ${progress.total} items done`;
  const [question] = questionsOf(state);
  if (question !== undefined) return `${question.key}: ${question.message}`;
  switch (state.status) {
    case 'failed': {
      const failed = failedStep(run);
      if (failed !== undefined) return `${failed.step}: ${failed.message}`;
      const { step, message = 'failed' } = state.error ?? {};
      return step === undefined ? message : `${step}: ${message}`;
    }
    case 'interrupted': {
      const where = items ?? stepsText(state);
      return run.isAbandoned ? `${where}; its process is gone` : `${where}; interrupted`;
    }
    case 'running': {
      const limit = Object.values(state.limits ?? {})[0];
      if (limit !== undefined) return `usage limit: ${limit.message}`;
      return [state.current_step, items].filter((part) => part != null).join(', ') || 'starting';
    }
    case 'waiting':
    case 'cancelled':
    case 'completed':
      return items === undefined ? stepsText(state) : `${items}, ${stepsText(state)}`;
    default:
      return unreachable(state.status);
  }
}

interface FailedStep {
  readonly key: string;
  readonly step: string;
  readonly message: string;
  readonly lastWords?: string;
}

/** A loop fails because of a step in it: that one is of interest. Others that failed did not end the run: it was caught, or allowed. */
function failedStep(run: LiveRun): FailedStep | undefined {
  const blamed = run.state?.error?.step;
  if (blamed === undefined) return undefined;
  const within = ownerOf(blamed as StepKey);
  const row = run.index.rows.findLast(
    ({ key, status, children, isAllowed }) =>
      status === 'failed' && !isAllowed && children.length === 0 && isWithin(key, within),
  );
  if (row === undefined) return undefined;
  const { parent, key } = row;
  const step = parent?.item === undefined ? key : `${key} [${parent.item}]`;
  const lastWords = lastWordsOf(run, row);
  const why = row.error ?? 'failed';
  const message = lastWords === undefined ? why : `${why}: ${lastWords}`;
  return { key, step, message, ...defined({ lastWords }) };
}

/** It is the step, a visit of it, or inside one of these. */
function isWithin(key: string, step: string): boolean {
  return key === step || key.startsWith(`${step}/`) || key.startsWith(`${step}#`);
}

function errorOf(run: LiveRun, error: NonNullable<RunState['error']>): RunError {
  const failed = run.state?.status === 'failed' ? failedStep(run) : undefined;
  const { resume } = error;
  const raise = resume?.type === 'raise' ? resume.limits : undefined;
  const advice = resume?.type === 'first' || resume?.type === 'restart' ? resume : undefined;
  if (failed === undefined)
    return { message: error.message, ...defined({ step: error.step, raise, advice }) };
  const { key, step, message, lastWords } = failed;
  return { message, step, key, ...defined({ last_words: lastWords, raise, advice }) };
}

function lastWordsOf({ paths }: LiveRun, { endOffset }: IndexRow): string | undefined {
  if (endOffset === undefined) return undefined;
  try {
    const event = readRecordAt(paths.journal, endOffset);
    if (event?.type !== 'step-ended' || !isJsonObject(event.output)) return undefined;
    const { stderrTail, stdoutTail } = event.output;
    const text = [stderrTail, stdoutTail].find((tail) => typeof tail === 'string' && tail.trim() !== '');
    return (
      String(text ?? '')
        .trim()
        .split('\n')
        .at(-1)
        ?.trim()
        .slice(0, LONGEST_WORDS) || undefined
    );
  } catch {
    return undefined;
  }
}

function stepsText({ totals }: RunState): string {
  const { steps_completed: done, steps_failed: failed, steps_skipped: skipped } = totals;
  const all = done + failed + skipped + (totals.steps_cancelled ?? 0);
  const text = `${all} ${all === 1 ? 'step' : 'steps'}`;
  const parts = [
    [done, 'done'],
    [failed, 'failed'],
    [skipped, 'skipped'],
    [totals.steps_cancelled ?? 0, 'cancelled'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0);
  return shown.length < 2 ? text : `${text}: ${shown.map(([count, word]) => `${count} ${word}`).join(', ')}`;
}

/** Progress of the loop that is running, or else of the last one. */
function progressOf(roots: readonly IndexRow[]): RunSummary['progress'] {
  const loops = roots.filter((row) => row.kind === 'for-each' && row.items !== undefined);
  const loop = loops.find((row) => row.status === 'running') ?? loops.at(-1);
  return loop === undefined ? undefined : { step: loop.name, done: loop.itemsDone, total: loop.items ?? 0 };
}

/** A run whose first record is missing or damaged: only its id is known. */
function unbegun({ runId }: LiveRun): RunState {
  const at = runId.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6.000Z');
  return {
    ...{ schema_version: STATE_SCHEMA_VERSION, run_id: runId, kind: 'unknown', title: runId },
    ...{ started_at: at, updated_at: at, duration_ms: 0, status: 'interrupted', current_step: null },
    ...{ steps: {}, for_each: {} },
    totals: {
      ...{ cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 },
      ...{ tokens: { input: 0, output: 0 }, unknown_token_calls: 0 },
      ...{ steps_completed: 0, steps_failed: 0, steps_skipped: 0 },
    },
  };
}
