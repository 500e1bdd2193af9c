/** Renders the tree of steps, one row at a time. */

import {
  countText,
  durationText,
  momentText,
  numberText,
  stepCostText,
  untilText,
} from '../model/amounts.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import type { RunState, StepError, StepState } from '../model/run-state.ts';
import { shownStatus, UNVERIFIED, UNVERIFIED_TEXT } from '../model/text-only-agent.ts';
import { unreachable } from '../model/unreachable.ts';
import type { OutlineRow } from './run-report/outline.ts';
import { failureTail } from './text/failure-tail.ts';
import { limitText } from './text/limit.ts';
import type { Palette } from './text/palette.ts';
import { printableLine } from './text/printable.ts';
import { cutTo, padTo } from './text/width.ts';

const TAIL_LINES = 10;
const ITEM_WIDTH = 60;

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
      const step: ShownStep = row.step;
      const name = padTo(row.name, left - row.depth * 2);
      return [
        `${indent}${statusMark(shownStatus(step), palette)} ${name}  ${[stepWords(row, context), ...inlineError(step.error)].join('  ')}`,
        ...descriptionLines(row, { indent, palette }),
        ...(step.decisions ?? []).map((why) => `${indent}    ${palette.faint(`→ ${printableLine(why)}`)}`),
        ...(step.status === 'cancelled' ? [] : errorLines(step.error, `${indent}    `)),
      ];
    }
    case 'loop': {
      const { loop } = row;
      const words = [`${numberText(loop.completed)} of ${countText(loop.items, 'item')}`];
      if (loop.duration_ms !== undefined) words.unshift(durationText(loop.duration_ms));
      if (loop.failure_allowed === true) words.push('failure allowed');
      if (row.isRevisited) words.push(`visit ${row.visit}`);
      const name = padTo(row.name, left - row.depth * 2);
      return [
        `${indent}${statusMark(loop.status, palette)} ${name}  ${[...words, ...inlineError(loop.error)].join('  ')}`,
        ...descriptionLines(row, { indent, palette }),
        ...errorLines(loop.error, `${indent}    `),
      ];
    }
    case 'item':
      return [`${indent}${palette.faint(`[${row.index}] ${cutTo(printableLine(row.text), ITEM_WIDTH)}`)}`];
    case 'branch':
      return [`${indent}${palette.faint(`${row.name}:`)}`];
    case 'left-out':
      return [`${indent}${palette.faint(`… ${countText(row.count, row.what)} (show with --all)`)}`];
    default:
      return unreachable(row);
  }
}

function descriptionLines(
  { description }: { readonly description?: string },
  { indent, palette }: RowFront,
): readonly string[] {
  return description === undefined ? [] : [`${indent}    ${palette.faint(printableLine(description))}`];
}

interface RowFront {
  readonly indent: string;
  readonly palette: Palette;
}

type StepRow = Extract<OutlineRow, { type: 'step' }>;

/** A step, or an earlier visit, of which less is known. */
type ShownStep = Partial<Omit<StepState, 'status' | 'error'>> &
  Pick<StepState, 'status'> & { readonly error?: Partial<StepError> & Pick<StepError, 'message' | 'type'> };

function statusMark(status: string, palette: Palette): string {
  switch (status) {
    case 'completed':
      return palette.good('✓');
    case UNVERIFIED:
      return palette.notice('!');
    case 'failed':
      return palette.bad('✗');
    case 'skipped':
      return palette.faint('○');
    case 'interrupted':
    case 'cancelled':
      return palette.notice('■');
    default:
      return palette.notice('▶');
  }
}

function stepWords(row: StepRow, { run, now }: RowContext): string {
  const { key } = row;
  const step: ShownStep = row.step;
  const words: string[] = [];
  if (step.status === 'skipped') words.push('skipped');
  if (step.status === 'interrupted' || step.status === 'cancelled') words.push(step.status);
  if (step.duration_ms !== undefined && step.status !== 'skipped') words.push(durationText(step.duration_ms));
  else if (step.status === 'running' && step.started_at !== undefined)
    words.push(`since ${momentText(step.started_at).slice(11)}`);
  const sleeping = run.sleeping_until?.[key];
  if (sleeping !== undefined) words.push(`waiting until ${untilText(sleeping, now)}`);
  const limit = run.limits?.[key];
  if (limit !== undefined) words.push(limitText(limit, now));
  if (shownStatus(step) === UNVERIFIED) words.push(UNVERIFIED_TEXT);
  if (step.failure_allowed === true) words.push('failure allowed');
  const calls = Object.keys(run.interrupted_calls ?? {});
  const isInterrupted = calls.some((call) => ownerOf(call as StepKey) === key);
  words.push(...costWords(isInterrupted && step.status === 'interrupted' ? { cost_usd: null } : step));
  if ((step.attempts ?? 1) > 1) words.push(`${step.attempts} attempts`);
  if (row.isRevisited) words.push(`visit ${row.visit}`);
  if (step.repeated === true) words.push('restarted');
  if (step.iterations !== undefined) words.push(countText(step.iterations.length, 'iteration'));
  return words.join('  ');
}

function costWords(step: Parameters<typeof stepCostText>[0]): readonly string[] {
  const cost = stepCostText(step);
  return cost === undefined ? [] : [cost];
}

/** An earlier visit has only the message of its error. */
function inlineError(error: ShownStep['error']): readonly string[] {
  return error === undefined || error.exit_code !== undefined ? [] : [printableLine(error.message)];
}

function errorLines(error: ShownStep['error'], indent: string): readonly string[] {
  if (error?.exit_code === undefined) return [];
  const { lines } = failureTail(
    { type: error.type, stderr: error.stderr_tail, stdout: error.stdout_tail },
    TAIL_LINES,
  );
  return [`${indent}${printableLine(error.message)}`, ...lines.map((line) => `${indent}| ${line}`)];
}
