import { type OutlineRow, outlineOf } from './outline.ts';
import type { ErrorView, RunView, StepView } from './run-view.ts';
import {
  countText,
  durationText,
  momentText,
  numberText,
  spendingText,
  untilText,
  usdText,
} from './text/amounts.ts';
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

/** A run for the terminal: its head, the tree of its steps, and what to do next. */
export function renderRun(run: RunView, options: RenderRunOptions): string {
  const palette = paletteFor(options.color);
  const rows = outlineOf(run, { itemsShown: options.all ? Number.POSITIVE_INFINITY : ITEMS_SHOWN });
  const left = Math.min(40, Math.max(0, ...rows.map((row) => widthOf(rowName(row)) + row.depth * 2)));
  const lines = [...headLines(run, options, palette), ''];
  for (const row of rows) lines.push(...rowLines(row, { palette, left, run, now: options.now }));
  if (rows.length === 0) lines.push('no step has begun');
  lines.push(...nextLines(run, options));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** The status as a person should read it. */
export function statusText(status: string, isAlive: boolean): string {
  return status === 'running' && !isAlive ? 'interrupted (process is gone)' : status;
}

function headLines(run: RunView, options: RenderRunOptions, palette: Palette): readonly string[] {
  const status = statusText(run.status, options.isAlive);
  const color =
    run.status === 'completed' ? palette.good : run.status === 'failed' ? palette.bad : palette.notice;
  const file = run['workflow_file'];
  const end =
    run.status === 'running' && options.isAlive
      ? options.now
      : Date.parse(run.completed_at ?? run.updated_at);
  const took = `${run.status === 'running' ? 'for' : 'took'} ${durationText(end - Date.parse(run.started_at))}`;
  const { totals } = run;
  const spending = spendingText(totals);
  const lines = [
    `${palette.strong(run.run_id)}  ${color(status)}`,
    `  ${run.kind} ${printableLine(run.title)}${typeof file === 'string' ? ` (${printableLine(file)})` : ''}`,
    `  started ${momentText(run.started_at)}, ${took}`,
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
  readonly run: RunView;
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
      const done = `${numberText(completed_indices.length)} of ${countText(items.length, 'item')}`;
      const name = padTo(row.name, left - row.depth * 2);
      return [
        `${indent}${statusMark(status, palette)} ${name}  ${done}`,
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

function statusMark(status: string, palette: Palette): string {
  switch (status) {
    case 'completed':
      return palette.good('✓');
    case 'failed':
      return palette.bad('✗');
    case 'skipped':
      return palette.faint('○');
    default:
      return palette.notice('▶');
  }
}

function stepWords(step: StepView, key: string, { run, now }: RowContext): string {
  const words: string[] = [];
  if (step.status === 'skipped') words.push('skipped');
  if (step.duration_ms !== undefined && step.status !== 'skipped') words.push(durationText(step.duration_ms));
  else if (step.status === 'running' && step.started_at !== undefined)
    words.push(`since ${momentText(step.started_at).slice(11)}`);
  const sleeping = run.sleeping_until?.[key];
  if (sleeping !== undefined) words.push(`pauses until ${untilText(sleeping, now)}`);
  if (step.cost_usd !== undefined)
    words.push(step.cost_usd === null ? 'cost unknown' : usdText(step.cost_usd));
  if ((step.attempts ?? 1) > 1) words.push(`${step.attempts} tries`);
  if ((step.visits ?? 1) > 1) words.push(`${step.visits} visits`);
  if (step.repeated === true) words.push('repeated after a crash');
  if (step.iterations !== undefined) words.push(countText(step.iterations.length, 'iteration'));
  return words.join('  ');
}

function errorLines(error: ErrorView | undefined, indent: string): readonly string[] {
  if (error === undefined) return [];
  const tail = lastLines(error.stderr_tail ?? '', TAIL_LINES);
  return [`${indent}${printableLine(error.message)}`, ...tail.map((line) => `${indent}| ${line}`)];
}

function nextLines(run: RunView, options: RenderRunOptions): readonly string[] {
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
  lines.push(`to go on:    orchestrate resume ${run.run_id}`);
  return lines;
}
