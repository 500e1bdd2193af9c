import type { RunState } from '../model/run-state.ts';
import { approveCommands, shellWord } from '../model/shell-word.ts';
import { outlineOf } from './run-report/outline.ts';
import { rowLines, rowName } from './run-rows.ts';
import { countText, durationText, momentText, numberText, spendingText, untilText } from './text/amounts.ts';
import { type Palette, paletteFor } from './text/palette.ts';
import { printableLine } from './text/printable.ts';
import { resumeAdviceText } from './text/resume-advice.ts';
import { countsOf, runMs, statusText, stepsText } from './text/run-words.ts';
import { widthOf } from './text/width.ts';

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
/** Columns that names may take before what is said of the steps. */
const MOST_LEFT = 40;

/** A run for the terminal: its head, the tree of its steps, and what to do next. */
export function renderRun(run: RunState, options: RenderRunOptions): string {
  const palette = paletteFor(options.color);
  const rows = outlineOf(run, { itemsShown: options.all ? Number.POSITIVE_INFINITY : ITEMS_SHOWN });
  const widest = rows.reduce((most, row) => Math.max(most, widthOf(rowName(row)) + row.depth * 2), 0);
  const left = Math.min(MOST_LEFT, widest);
  const lines = [...headLines(run, options, palette), ''];
  for (const row of rows) lines.push(...rowLines(row, { palette, left, run, now: options.now }));
  if (rows.length === 0) lines.push('no step has begun');
  lines.push(...nextLines(run, options));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
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
  // What a step failed of stands with the step.
  if (run.error !== undefined && run.error.step === undefined && run.status === 'failed')
    lines.push(`  ${palette.bad(printableLine(run.error.message))}`);
  if (spending !== undefined) {
    const { input, output } = totals.tokens;
    const tokens = input + output === 0 ? '' : `, ${numberText(input)} tokens in, ${numberText(output)} out`;
    lines.push(`  ${spending}, ${countText(totals.agent_calls, 'agent call')}${tokens}`);
  }
  return lines;
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
  const advice = resumeAdviceText(run.error?.go_on ?? { type: 'resume' }, {
    runId: run.run_id,
    file: typeof file === 'string' ? file : undefined,
  });
  lines.push(`to go on:    ${advice}`);
  return lines;
}
