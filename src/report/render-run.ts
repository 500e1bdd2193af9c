import {
  countText,
  durationText,
  momentText,
  spendingText,
  tokensText,
  untilText,
  usesTokens,
} from '../model/amounts.ts';
import type { RunState } from '../model/run-state.ts';
import { approveCommands, shellWord } from '../model/shell-word.ts';
import { typedCommand } from '../model/typed-command.ts';
import { EVERYTHING, type OutlineOptions, outlineOf } from './run-report/outline.ts';
import { rowLines, rowName } from './run-rows.ts';
import { type Palette, paletteFor } from './text/palette.ts';
import { printable, printableLine } from './text/printable.ts';
import { fieldLines } from './text/question.ts';
import { resumeAdviceText } from './text/resume-advice.ts';
import { countsOf, runMs, statusText, stepsText } from './text/run-words.ts';
import { widthOf } from './text/width.ts';

export interface RenderRunOptions {
  readonly color: boolean;
  /** The current time. */
  readonly now: number;
  /** Whether a live process owns the run. A run with status `running` and no process was interrupted. */
  readonly isAlive: boolean;
  /** Shows every item of every loop. */
  readonly all: boolean;
  /** For a run of workers: their names. */
  readonly workers?: RunWorkers;
}

export interface RunWorkers {
  readonly host?: string;
  /** Those that carried out steps. */
  readonly names: readonly string[];
}

const SOME: OutlineOptions = { itemsShown: 20, visitsShown: 10 };
/** Maximum width of the column of step names. */
const MOST_LEFT = 40;

/** Renders a run for the terminal: a summary, the tree of steps, and what to do next. */
export function renderRun(run: RunState, options: RenderRunOptions): string {
  const palette = paletteFor(options.color);
  const rows = outlineOf(run, options.all ? EVERYTHING : SOME);
  const widest = rows.reduce((most, row) => Math.max(most, widthOf(rowName(row)) + row.depth * 2), 0);
  const left = Math.min(MOST_LEFT, widest);
  const lines = [...headLines(run, options, palette), ''];
  for (const row of rows) lines.push(...rowLines(row, { palette, left, run, now: options.now }));
  if (rows.length === 0) lines.push('no step has started');
  lines.push(...nextLines(run, options));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function headLines(run: RunState, options: RenderRunOptions, palette: Palette): readonly string[] {
  const status = statusText(run, options.isAlive);
  const color =
    run.status === 'completed' ? palette.good : run.status === 'failed' ? palette.bad : palette.notice;
  const file = run['workflow_file'];
  const trial = typeof run['trial'] === 'string' ? `, ${printableLine(run['trial'])}` : '';
  const source = run['replayed_from'];
  const replay = typeof source === 'string' ? `, replayed from ${printableLine(source)}` : '';
  const isOpen = run.status === 'running' && options.isAlive;
  const took = `${isOpen ? 'for' : 'took'} ${durationText(runMs(run, options))}`;
  const { totals } = run;
  const spending = spendingText(totals);
  const counts = countsOf(totals);
  const hasSteps = counts.completed + counts.failed + counts.skipped > 0;
  const steps = hasSteps ? [stepsText(counts)] : [];
  const lines = [
    `${palette.strong(run.run_id)}  ${color(status)}`,
    `  ${run.kind} ${printableLine(run.title)}${typeof file === 'string' ? ` (${printableLine(file)})` : ''}${trial}${replay}`,
    `  started ${momentText(run.started_at)}, ${[took, ...steps].join(', ')}`,
  ];
  if (options.workers !== undefined) lines.push(...workerLines(options.workers));
  const description = run['description'];
  if (typeof description === 'string') lines.splice(2, 0, `  ${printableLine(description)}`);
  // A step's failure is shown with the step.
  if (run.error !== undefined && run.error.step === undefined && run.status === 'failed')
    lines.push(`  ${palette.bad(printableLine(run.error.message))}`);
  if (spending !== undefined) {
    const used = tokensText(totals);
    const words = used === 'unknown' ? 'tokens unknown' : used.replace(' in,', ' tokens in,');
    const tokens = usesTokens(totals) ? `, ${words}` : '';
    lines.push(`  ${spending}, ${countText(totals.agent_calls, 'agent call')}${tokens}`);
  }
  return lines;
}

function workerLines({ host, names }: RunWorkers): readonly string[] {
  const hosts = host === undefined ? [] : [`hosted by ${printableLine(host)}`];
  const steps = names.length === 0 ? [] : [`steps on ${names.map(printableLine).join(', ')}`];
  const parts = [...hosts, ...steps];
  return parts.length === 0 ? [] : [`  ${parts.join(', ')}`];
}

const MOST_DETAIL = 40;

function detailLines(detail: string | undefined): readonly string[] {
  if (detail === undefined) return [];
  const lines = printable(detail).split('\n');
  if (lines.length <= MOST_DETAIL) return lines;
  return [...lines.slice(0, MOST_DETAIL), `… ${lines.length - MOST_DETAIL} more lines`];
}

function nextLines(run: RunState, options: RenderRunOptions): readonly string[] {
  const lines: string[] = [];
  for (const [key, question] of Object.entries(run.waiting_for ?? {})) {
    lines.push('', `${key} asks: ${printableLine(question.message)}`);
    for (const line of detailLines(question.detail)) lines.push(`  ${line}`);
    if (question.expires_at !== undefined) {
      const otherwise =
        question.default === undefined ? 'the step fails' : `\`${printableLine(question.default)}\` is used`;
      lines.push(`  expires at ${untilText(question.expires_at, options.now)}, then ${otherwise}`);
    }
    lines.push(...fieldLines(question.fields ?? []).map((line) => `  ${line}`));
    lines.push(...approveCommands(run.run_id, key, question).map((command) => `  ${command}`));
  }
  const isOver = run.status === 'completed' || run.status === 'cancelled';
  // Workers continue it when it is answered.
  const continuesItself = run.status === 'waiting' && run['engine'] !== undefined;
  if (isOver || continuesItself || options.isAlive) return lines;
  if (run.error?.step !== undefined)
    lines.push('', `to see why:   ${typedCommand(`explain ${run.run_id} ${shellWord(run.error.step)}`)}`);
  else lines.push('');
  const file = run['workflow_file'];
  const advice = resumeAdviceText(run.error?.resume ?? { type: 'resume' }, {
    runId: run.run_id,
    file: typeof file === 'string' ? file : undefined,
  });
  lines.push(`to continue:  ${advice}`);
  return lines;
}
