/** Renders the tree of steps, one row at a time. */

import type { LoopState, RunState, StepError, StepState } from '../model/run-state.ts';
import { unreachable } from '../model/unreachable.ts';
import type { OutlineRow } from './run-report/outline.ts';
import { countText, durationText, momentText, numberText, stepCostText, untilText } from './text/amounts.ts';
import { failureTail } from './text/failure-tail.ts';
import { limitText } from './text/limit.ts';
import type { Palette } from './text/palette.ts';
import { printableLine } from './text/printable.ts';
import { cutTo, padTo } from './text/width.ts';

const TAIL_LINES = 10;
const ITEM_WIDTH = 60;
const VISITS_SHOWN = 10;

export interface RowContext {
  readonly palette: Palette;
  readonly left: number;
  readonly run: RunState;
  readonly now: number;
}

export function rowName(row: OutlineRow): string {
  switch (row.type) {
    case 'step':
    case 'loop':
    case 'branch':
      return row.name;
    case 'item':
    case 'left-out':
      return '';
    default:
      return unreachable(row);
  }
}

export function rowLines(row: OutlineRow, context: RowContext): readonly string[] {
  const { palette, left } = context;
  const indent = '  '.repeat(row.depth);
  switch (row.type) {
    case 'step': {
      const words = stepWords(row.step, row.key, context);
      const name = padTo(row.name, left - row.depth * 2);
      return [
        ...earlierLines(row.step, { indent, name, palette }),
        `${indent}${statusMark(row.step.status, palette)} ${name}  ${words}`,
        ...descriptionLines(row, { indent, palette }),
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
      if (row.loop.failure_allowed === true) words.push('failure allowed');
      if ((row.loop.visits ?? 1) > 1) words.push(`visit ${row.loop.visits}`);
      const name = padTo(row.name, left - row.depth * 2);
      return [
        ...earlierLoopLines(row.loop, { indent, name, palette }),
        `${indent}${statusMark(status, palette)} ${name}  ${words.join('  ')}`,
        ...descriptionLines(row, { indent, palette }),
        ...errorLines(row.loop.error, `${indent}    `),
      ];
    }
    case 'item':
      return [`${indent}${palette.faint(`[${row.index}] ${cutTo(printableLine(row.text), ITEM_WIDTH)}`)}`];
    case 'branch':
      return [`${indent}${palette.faint(`${row.name}:`)}`];
    case 'left-out':
      return [`${indent}${palette.faint(`… ${countText(row.count, 'completed item')} (show with --all)`)}`];
    default:
      return unreachable(row);
  }
}

function descriptionLines(
  { description }: { readonly description?: string },
  { indent, palette }: Pick<RowFront, 'indent' | 'palette'>,
): readonly string[] {
  return description === undefined ? [] : [`${indent}    ${palette.faint(printableLine(description))}`];
}

interface RowFront {
  readonly indent: string;
  readonly name: string;
  readonly palette: Palette;
}

/** The visits before the last, one per line; at most `VISITS_SHOWN`. */
function earlierLines(step: StepState, front: RowFront): readonly string[] {
  return shownVisits(step.earlier_visits, front, (visit) => {
    const words = [visit.status === 'skipped' ? 'skipped' : durationText(visit.duration_ms ?? 0)];
    words.push(...costWords(visit));
    if ((visit.attempts ?? 1) > 1) words.push(`${visit.attempts} attempts`);
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
  if (step.status === 'interrupted') words.push('interrupted');
  if (step.duration_ms !== undefined && step.status !== 'skipped') words.push(durationText(step.duration_ms));
  else if (step.status === 'running' && step.started_at !== undefined)
    words.push(`since ${momentText(step.started_at).slice(11)}`);
  const sleeping = run.sleeping_until?.[key];
  if (sleeping !== undefined) words.push(`waiting until ${untilText(sleeping, now)}`);
  const limit = run.limits?.[key];
  if (limit !== undefined) words.push(limitText(limit, now));
  if (step.failure_allowed === true) words.push('failure allowed');
  words.push(...costWords(step));
  if ((step.attempts ?? 1) > 1) words.push(`${step.attempts} attempts`);
  if ((step.visits ?? 1) > 1) words.push(`visit ${step.visits}`);
  if (step.repeated === true) words.push('restarted');
  if (step.iterations !== undefined) words.push(countText(step.iterations.length, 'iteration'));
  return words.join('  ');
}

function costWords(step: Parameters<typeof stepCostText>[0]): readonly string[] {
  const cost = stepCostText(step);
  return cost === undefined ? [] : [cost];
}

function errorLines(error: StepError | undefined, indent: string): readonly string[] {
  if (error === undefined) return [];
  const { lines } = failureTail(
    { type: error.type, stderr: error.stderr_tail, stdout: error.stdout_tail },
    TAIL_LINES,
  );
  return [`${indent}${printableLine(error.message)}`, ...lines.map((line) => `${indent}| ${line}`)];
}
