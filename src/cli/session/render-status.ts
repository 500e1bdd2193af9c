/** Renders `session status`: progress, the tree of tasks, ready tasks, and the cost. */

import { durationText, spendingText, stepCostText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import type { ListedTask } from '../../operations/sessions/listed-task.ts';
import type { ReadSession } from '../../operations/sessions/read-session.ts';
import type { TaskStatus } from '../../operations/sessions/vocabulary.ts';
import { printableLine } from '../../report/text/printable.ts';
import { strayWords } from './stray-words.ts';

const BAR_WIDTH = 30;
const MOST_READY = 10;
const SIGNS: Readonly<Record<TaskStatus, string>> = {
  pending: '○',
  active: '◐',
  completed: '●',
  blocked: '✗',
  container: '▸',
};

export function renderStatus(session: ReadSession): string {
  const { id, file, state, complexity, running, ready, tasks } = session;
  const lines = [
    `${id}: ${printableLine(file.project)}`,
    `  ${state}, ${file.current_phase}, ${complexity}, kind ${file.kind}`,
    `  ${progressBar(session)}`,
  ];
  if (running !== undefined) lines.push(`  executed by run ${running.runId}, process ${running.pid}`);
  const spent = spendingText(session.cost);
  if (spent !== undefined) lines.push(`  cost: ${spent.replace(/^cost /, '')}`);
  if (tasks.length > 0) lines.push('', ...tasks.map(taskLine));
  const stray = strayWords(session.stray);
  if (stray !== '') lines.push('', stray.trimEnd());
  for (const { runId, key, message, choices } of session.questions)
    lines.push(
      '',
      `question: ${printableLine(message)}`,
      `  orchestrate approve ${runId} ${key} --choose ${choices.join('|')}`,
    );
  if (ready.length > 0) {
    const more = ready.length > MOST_READY ? `, and ${ready.length - MOST_READY} more` : '';
    lines.push('', `ready: ${ready.slice(0, MOST_READY).join(', ')}${more}`);
  }
  return `${lines.join('\n')}\n`;
}

function progressBar({ counts }: ReadSession): string {
  const done = counts.total === 0 ? 0 : Math.floor((counts.completed / counts.total) * BAR_WIDTH);
  const rest = [
    [counts.active, 'active'],
    [counts.blocked, 'blocked'],
  ] as const;
  const words = rest.filter(([count]) => count > 0).map(([count, word]) => `, ${count} ${word}`);
  return `[${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)}] ${counts.completed}/${counts.total} tasks completed${words.join('')}`;
}

function taskLine(task: ListedTask): string {
  const indent = task.parent === undefined ? '  ' : '    ';
  return `${indent}${SIGNS[task.status]} ${task.id}  ${printableLine(task.title)}${remark(task)}`;
}

function remark(task: ListedTask): string {
  const { isContainer, status, lastError, waitsFor } = task;
  if (isContainer) return '';
  if (status === 'completed') return amounts(task);
  if (status === 'blocked')
    return `  blocked${lastError === undefined ? '' : `: ${printableLine(lastError)}`}${amounts(task)}`;
  if (status === 'active') return `  ${activityWords(task)}${amounts(task)}`;
  return waitsFor.length === 0 ? '' : `  waiting for ${waitsFor.join(', ')}`;
}

function activityWords({ activity, agent }: ListedTask): string {
  const by = agent === '' ? '' : ` (${agent})`;
  return activity === undefined || activity === 'running' ? `active${by}` : `${activity}${by}`;
}

/** `  12.3 s  $0.0200`: what it took so far. */
function amounts({ workedMs, spent }: ListedTask): string {
  const { costUsd, unknownCalls } = spent ?? {};
  const cost = stepCostText(defined({ cost_usd: costUsd, unknown_cost_calls: unknownCalls }));
  return [workedMs === undefined ? undefined : durationText(workedMs), cost]
    .map((amount) => (amount === undefined ? '' : `  ${amount}`))
    .join('');
}
