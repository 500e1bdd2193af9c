/** The reports of loops: one iteration, and a night of one or more loops. */

import { countText, momentText, tokensText } from '../../model/amounts.ts';
import type { FileChange, IterationReport, LoopReport, LoopTotals } from '../../model/loop-report.ts';
import { addUsd } from '../../model/usd.ts';
import type { Block, Document } from './document.ts';
import {
  checkCount,
  checkLine,
  costWords,
  fileCount,
  fileWords,
  proofWords,
  resultWords,
  timeWords,
} from './words.ts';

const FILES_SHOWN = 200;
const HAS_NOT_ENDED: readonly string[] = ['running', 'waiting', 'interrupted'];

export function iterationDocument(name: string, iteration: IterationReport): Document {
  const { checks, files, warnings, summary } = iteration;
  return [
    { type: 'heading', level: 1, text: `${name}: iteration ${iteration.iteration}` },
    ...(summary === undefined ? [] : [{ type: 'paragraph', text: summary } as const]),
    facts([
      ['Started', momentText(iteration.started_at)],
      ['Time', timeWords(iteration)],
      ['Cost', costWords(iteration)],
      ['Tokens', tokensText(iteration)],
      ['Files changed', fileWords(iteration)],
      ['Checks', checkCount(checks)],
      ['Verification', iteration.verification],
      ['Stopped by', iteration.cut_by === undefined ? undefined : `its ${iteration.cut_by} limit`],
      ['Items remaining', iteration.remaining === undefined ? undefined : String(iteration.remaining)],
      ['Commit', iteration.commit],
    ]),
    ...section(2, 'Files', fileLines(files ?? [])),
    ...section(2, 'Checks', checks.map(checkLine)),
    ...section(2, 'Warnings', warnings),
  ];
}

export function nightTitle(loops: readonly LoopReport[]): string {
  const [first] = loops;
  const names = new Set(loops.map(({ name }) => name)).size;
  const runs = names === loops.length ? '' : ` in ${countText(loops.length, 'run')}`;
  return loops.length === 1 && first !== undefined
    ? `${first.name}: ${resultWords(first)}`
    : `${countText(names, 'loop')}${runs}, ${momentText(startOf(loops))}`;
}

export function nightDocument(loops: readonly LoopReport[]): Document {
  return [
    { type: 'heading', level: 1, text: nightTitle(loops) },
    overview(loops),
    ...loops.flatMap((loop) => loopBlocks(loop, loops.length === 1)),
  ];
}

function startOf(loops: readonly LoopReport[]): string {
  return loops.map(({ started_at }) => started_at).sort()[0] ?? new Date(0).toISOString();
}

function overview(loops: readonly LoopReport[]): Block {
  const number = (name: string): { readonly name: string; readonly kind: 'num' } => ({ name, kind: 'num' });
  const rows = loops.map((loop) => [
    loop.name,
    resultWords(loop),
    ...figures(loop.totals, fileCount(loop.totals.files_changed)),
    proofWords(loop.proof),
  ]);
  return {
    type: 'table',
    head: ['Loop', 'Result', number('Iterations'), number('Files'), 'Cost', 'Tokens', 'Time', 'Proof'],
    rows:
      loops.length > 1 ? [...rows, ['Total', '', ...figures(totalOf(loops), totalFiles(loops)), '']] : rows,
  };
}

function figures(totals: Omit<LoopTotals, 'files_changed'>, files: string): readonly string[] {
  return [String(totals.iterations), files, costWords(totals), tokensText(totals), timeWords(totals)];
}

/** Files are counted once per run: two of them may have changed the same one, each in its own worktree. */
function totalFiles(loops: readonly LoopReport[]): string {
  const known = loops.flatMap(({ totals: { files_changed } }) =>
    files_changed === null ? [] : [files_changed],
  );
  if (known.length === 0) return fileCount(null);
  const sum = fileCount(known.reduce((total, each) => total + each, 0));
  const unknown = loops.length - known.length;
  return unknown === 0 ? sum : `${sum} + ${countText(unknown, 'loop')} unknown`;
}

function totalOf(loops: readonly LoopReport[]): Omit<LoopTotals, 'files_changed'> {
  const all = loops.map(({ totals }) => totals);
  const sum = (of: (each: LoopTotals) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    iterations: sum((each) => each.iterations),
    worked_ms: sum((each) => each.worked_ms),
    waited_ms: sum((each) => each.waited_ms),
    lost_calls: sum((each) => each.lost_calls),
    cost_usd: all.reduce((total, each) => addUsd(total, each.cost_usd), 0),
    agent_calls: sum((each) => each.agent_calls),
    unknown_cost_calls: sum((each) => each.unknown_cost_calls),
    tokens: { input: sum((each) => each.tokens.input), output: sum((each) => each.tokens.output) },
    unknown_token_calls: sum((each) => each.unknown_token_calls),
  };
}

function loopBlocks(loop: LoopReport, isOnly: boolean): Document {
  const level = isOnly ? 2 : 3;
  const changed = new Map<string, FileChange>();
  for (const { files } of loop.iterations)
    for (const file of files ?? []) changed.set(file.path, merged(changed.get(file.path), file));
  const warnings = loop.iterations.flatMap(({ iteration, warnings: some }) =>
    some.map((warning) => `iteration ${iteration}: ${warning}`),
  );
  const questions = loop.questions.map(({ question, answer }) =>
    answer === undefined
      ? `${question} (not answered yet: claude-iterate show ${loop.name})`
      : `${question} ${answer}`,
  );
  return [
    ...(isOnly ? [] : [{ type: 'heading', level: 2, text: loop.name } as const]),
    facts([
      ['Run', loop.run_id],
      ['Started', momentText(loop.started_at)],
      [HAS_NOT_ENDED.includes(loop.status) ? 'Last record' : 'Ended', momentText(loop.updated_at)],
      ['Why', loop.error],
      ['Work', loop.work],
      ['Resumed', loop.resumed === 0 ? undefined : countText(loop.resumed, 'time')],
    ]),
    ...section(level, 'Questions', questions),
    { type: 'heading', level, text: 'Iterations' },
    iterationTable(loop),
    ...section(level, 'Files changed', fileLines([...changed.values()].sort(byPath))),
    ...section(level, 'Warnings', warnings),
  ];
}

function iterationTable({ iterations }: LoopReport): Block {
  if (iterations.length === 0) return { type: 'paragraph', text: 'No iteration was started.' };
  return {
    type: 'table',
    head: [
      { name: '#', kind: 'num' },
      'Time',
      'Cost',
      'Files',
      'Checks',
      'Verification',
      'Commit',
      'Summary',
    ],
    rows: iterations.map((each) => [
      String(each.iteration),
      timeWords(each),
      costWords(each),
      each.files === null ? 'unknown' : String(each.files.length),
      checkCount(each.checks),
      each.verification ?? '',
      each.commit?.slice(0, 10) ?? '',
      each.counted ? (each.summary ?? '') : 'not finished',
    ]),
  };
}

/** Over several iterations: a file that was added and then changed was added. */
function merged(before: FileChange | undefined, now: FileChange): FileChange {
  return before?.change === 'added' && now.change === 'modified' ? before : now;
}

function byPath(a: FileChange, b: FileChange): number {
  return a.path < b.path ? -1 : 1;
}

function fileLines(files: readonly FileChange[]): readonly string[] {
  const shown = files.slice(0, FILES_SHOWN).map(({ path, change }) => `${change} ${path}`);
  const more = files.length - shown.length;
  return more === 0 ? shown : [...shown, `${countText(more, 'more file')}`];
}

function facts(pairs: readonly (readonly [string, string | undefined])[]): Block {
  const known = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return { type: 'table', head: [], rows: known };
}

function section(level: 2 | 3, title: string, lines: readonly string[]): Document {
  return lines.length === 0
    ? []
    : [
        { type: 'heading', level, text: title },
        { type: 'list', lines },
      ];
}
