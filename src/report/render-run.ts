import type { LoopState, RunState, StepError, StepState, Totals } from '../model/run-state.ts';
import { type OutlineRow, outlineOf } from './outline.ts';
import {
  countText,
  durationText,
  momentText,
  numberText,
  spendingText,
  untilText,
  usdText,
} from './text/amounts.ts';
import { goOnText } from './text/go-on.ts';
import { type Palette, paletteFor } from './text/palette.ts';
import { lastLines, printableLine } from './text/printable.ts';
import { approveCommands, shellWord } from './text/shell-word.ts';
import { cutTo, padTo, widthOf } from './text/width.ts';

export interface RenderRunOptions {
  readonly color: boolean;
  /** The moment it is looked at. */
  readonly now: number;
  /** Whether a living process owns it: a run that says `running` without one was cut off. */
  readonly isAlive: boolean;
  /** Every item of every loop. */
  readonly all: boolean;
}

const ITEMS_SHOWN = 20;
const TAIL_LINES = 10;
const ITEM_WIDTH = 60;
const VISITS_SHOWN = 10;

/** A run for the terminal: its head, the tree of its steps, and what to do next. */
export function renderRun(run: RunState, options: RenderRunOptions): string {
  const palette = paletteFor(options.color);
  const rows = outlineOf(run, { itemsShown: options.all ? Number.POSITIVE_INFINITY : ITEMS_SHOWN });
  const left = Math.min(40, Math.max(0, ...rows.map((row) => widthOf(rowName(row)) + row.depth * 2)));
  const lines = [...headLines(run, options, palette), ''];
  for (const row of rows) lines.push(...rowLines(row, { palette, left, run, now: options.now }));
  if (rows.length === 0) lines.push('no step has begun');
  lines.push(...nextLines(run, options));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** For how long processes have run it, until now where one does. */
export function runMs(run: RunState, at: { readonly now: number; readonly isAlive: boolean }): number {
  const open = run.status === 'running' && at.isAlive ? at.now - Date.parse(run.updated_at) : 0;
  return run.duration_ms + Math.max(0, open);
}

/** `5 steps: 4 done, 1 failed`. */
export function stepsText(counts: {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
}): string {
  const { completed, failed, skipped } = counts;
  const parts = [
    [completed, 'done'],
    [failed, 'failed'],
    [skipped, 'skipped'],
  ] as const;
  const steps = countText(completed + failed + skipped, 'step');
  if (failed + skipped === 0) return steps;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${numberText(count)} ${word}`);
  return `${steps}: ${said.join(', ')}`;
}

/** The status as a person should read it. */
export function statusText(status: string, isAlive: boolean): string {
  return status === 'running' && !isAlive ? 'interrupted (process is gone)' : status;
}

function headLines(run: RunState, options: RenderRunOptions, palette: Palette): readonly string[] {
  const status = statusText(run.status, options.isAlive);
  const color =
    run.status === 'completed' ? palette.good : run.status === 'failed' ? palette.bad : palette.notice;
  const file = run['workflow_file'];
  const trial = typeof run['trial'] === 'string' ? `, ${printableLine(run['trial'])}` : '';
  const isOpen = run.status === 'running' && options.isAlive;
  const took = `${isOpen ? 'for' : 'took'} ${durationText(runMs(run, options))}`;
  const { totals } = run;
  const spending = spendingText(totals);
  const counts = countsOf(totals);
  const hasSteps = counts.completed + counts.failed + counts.skipped > 0;
  const steps = hasSteps ? [stepsText(counts)] : [];
  const lines = [
    `${palette.strong(run.run_id)}  ${color(status)}`,
    `  ${run.kind} ${printableLine(run.title)}${typeof file === 'string' ? ` (${printableLine(file)})` : ''}${trial}`,
    `  started ${momentText(run.started_at)}, ${[took, ...steps].join(', ')}`,
  ];
  if (spending !== undefined) {
    const { input, output } = totals.tokens;
    const tokens = input + output === 0 ? '' : `, ${numberText(input)} tokens in, ${numberText(output)} out`;
    lines.push(`  ${spending}, ${countText(totals.agent_calls, 'agent call')}${tokens}`);
  }
  return lines;
}

interface RowContext {
  readonly palette: Palette;
  readonly left: number;
  readonly run: RunState;
  readonly now: number;
}

function rowName(row: OutlineRow): string {
  switch (row.type) {
    case 'step':
    case 'loop':
    case 'branch':
      return row.name;
    case 'item':
    case 'left-out':
      return '';
  }
}

function rowLines(row: OutlineRow, context: RowContext): readonly string[] {
  const { palette, left } = context;
  const indent = '  '.repeat(row.depth);
  switch (row.type) {
    case 'step': {
      const words = stepWords(row.step, row.key, context);
      const name = padTo(row.name, left - row.depth * 2);
      return [
        ...earlierLines(row.step, { indent, name, palette }),
        `${indent}${statusMark(row.step.status, palette)} ${name}  ${words}`,
        ...(row.step.decisions ?? []).map(
          (why) => `${indent}    ${palette.faint(`→ ${printableLine(why)}`)}`,
        ),
        ...errorLines(row.step.error, `${indent}    `),
      ];
    }
    case 'loop': {
      const { items, completed_indices } = row.loop;
      const status = row.loop.status ?? 'running';
      const words = [
        `${numberText(completed_indices.length)} of ${countText(row.loop.items_left_out ?? items.length, 'item')}`,
      ];
      if (row.loop.duration_ms !== undefined) words.unshift(durationText(row.loop.duration_ms));
      if ((row.loop.visits ?? 1) > 1) words.push(`visit ${row.loop.visits}`);
      const name = padTo(row.name, left - row.depth * 2);
      return [
        ...earlierLoopLines(row.loop, { indent, name, palette }),
        `${indent}${statusMark(status, palette)} ${name}  ${words.join('  ')}`,
        ...errorLines(row.loop.error, `${indent}    `),
      ];
    }
    case 'item':
      return [`${indent}${palette.faint(`[${row.index}] ${cutTo(printableLine(row.text), ITEM_WIDTH)}`)}`];
    case 'branch':
      return [`${indent}${palette.faint(`${row.name}:`)}`];
    case 'left-out':
      return [
        `${indent}${palette.faint(`… ${countText(row.count, 'item')} that went well (--all shows them)`)}`,
      ];
  }
}

interface RowFront {
  readonly indent: string;
  readonly name: string;
  readonly palette: Palette;
}

/** The visits before the last, one a line; of many, the last ones. */
function earlierLines(step: StepState, front: RowFront): readonly string[] {
  return shownVisits(step.earlier_visits, front, (visit) => {
    const words = [visit.status === 'skipped' ? 'skipped' : durationText(visit.duration_ms ?? 0)];
    if (visit.cost_usd !== undefined)
      words.push(visit.cost_usd === null ? 'cost unknown' : usdText(visit.cost_usd));
    if ((visit.attempts ?? 1) > 1) words.push(`${visit.attempts} tries`);
    return { status: visit.status, words, error: visit.error };
  });
}

function earlierLoopLines(loop: LoopState, front: RowFront): readonly string[] {
  return shownVisits(loop.earlier_visits, front, (visit) => ({
    status: visit.status ?? 'interrupted',
    words: [
      ...(visit.duration_ms === undefined ? [] : [durationText(visit.duration_ms)]),
      `${numberText(visit.items_completed)} of ${countText(visit.items, 'item')}`,
    ],
    error: visit.error,
  }));
}

function shownVisits<Visit>(
  visits: readonly Visit[] | undefined,
  { indent, name, palette }: RowFront,
  describe: (visit: Visit) => {
    readonly status: string;
    readonly words: readonly string[];
    readonly error: { readonly message: string } | undefined;
  },
): readonly string[] {
  const all = visits ?? [];
  const first = Math.max(0, all.length - VISITS_SHOWN);
  const lines = all.slice(first).map((visit, index) => {
    const { status, words, error } = describe(visit);
    const why = error === undefined ? [] : [printableLine(error.message)];
    const text = [...words, `visit ${first + index + 1}`, ...why].join('  ');
    return `${indent}${statusMark(status, palette)} ${name}  ${text}`;
  });
  if (first > 0) lines.unshift(`${indent}${palette.faint(`… ${countText(first, 'earlier visit')}`)}`);
  return lines;
}

export function countsOf(totals: Totals): Parameters<typeof stepsText>[0] {
  return {
    completed: totals.steps_completed,
    failed: totals.steps_failed,
    skipped: totals.steps_skipped,
  };
}

function statusMark(status: string, palette: Palette): string {
  switch (status) {
    case 'completed':
      return palette.good('✓');
    case 'failed':
      return palette.bad('✗');
    case 'skipped':
      return palette.faint('○');
    case 'interrupted':
      return palette.notice('■');
    default:
      return palette.notice('▶');
  }
}

function stepWords(step: StepState, key: string, { run, now }: RowContext): string {
  const words: string[] = [];
  if (step.status === 'skipped') words.push('skipped');
  if (step.status === 'interrupted') words.push('cut off');
  if (step.duration_ms !== undefined && step.status !== 'skipped') words.push(durationText(step.duration_ms));
  else if (step.status === 'running' && step.started_at !== undefined)
    words.push(`since ${momentText(step.started_at).slice(11)}`);
  const sleeping = run.sleeping_until?.[key];
  if (sleeping !== undefined) words.push(`pauses until ${untilText(sleeping, now)}`);
  if (step.cost_usd !== undefined)
    words.push(step.cost_usd === null ? 'cost unknown' : usdText(step.cost_usd));
  if ((step.attempts ?? 1) > 1) words.push(`${step.attempts} tries`);
  if ((step.visits ?? 1) > 1) words.push(`visit ${step.visits}`);
  if (step.repeated === true) words.push('begun again');
  if (step.iterations !== undefined) words.push(countText(step.iterations.length, 'iteration'));
  return words.join('  ');
}

function errorLines(error: StepError | undefined, indent: string): readonly string[] {
  if (error === undefined) return [];
  const tail = lastLines(error.stderr_tail ?? '', TAIL_LINES);
  return [`${indent}${printableLine(error.message)}`, ...tail.map((line) => `${indent}| ${line}`)];
}

function nextLines(run: RunState, options: RenderRunOptions): readonly string[] {
  const lines: string[] = [];
  for (const [key, question] of Object.entries(run.waiting_for ?? {})) {
    lines.push('', `${key} asks: ${printableLine(question.message)}`);
    if (question.expires_at !== undefined) {
      const otherwise =
        question.default === undefined ? 'it fails' : `\`${printableLine(question.default)}\` is taken`;
      lines.push(`  until ${untilText(question.expires_at, options.now)}, then ${otherwise}`);
    }
    lines.push(...approveCommands(run.run_id, key, question.choices).map((command) => `  ${command}`));
  }
  const isOver = run.status === 'completed' || run.status === 'cancelled';
  if (isOver || options.isAlive) return lines;
  if (run.error?.step !== undefined)
    lines.push('', `to see why:  orchestrate explain ${run.run_id} ${shellWord(run.error.step)}`);
  else lines.push('');
  const file = run['workflow_file'];
  const goOn = goOnText(run.error?.go_on ?? { type: 'resume' }, {
    runId: run.run_id,
    file: typeof file === 'string' ? file : undefined,
  });
  lines.push(`to go on:    ${goOn}`);
  return lines;
}
