import { unreachable } from '../model/unreachable.ts';
import { visible } from '../model/visible.ts';
import type { Message, Notice, SoFar } from './notice.ts';

export function renderNotice(workspace: string, notice: Notice): Message {
  const { title, lines } = wordsFor(notice);
  return {
    event: notice.type,
    workspace,
    title: visible(`[${workspace}] ${title}`),
    priority: notice.type === 'completion' ? 'high' : notice.type === 'error' ? 'urgent' : 'default',
    tags: ['claude-iterate', notice.type],
    body: visible(lines.filter((line) => line !== undefined).join('\n')),
  };
}

interface Words {
  readonly title: string;
  /** The first line is the heading. */
  readonly lines: readonly (string | undefined)[];
}

function wordsFor(notice: Notice): Words {
  switch (notice.type) {
    case 'setup_complete':
      return { title: 'Setup Complete', lines: ['WORKSPACE SETUP COMPLETE', '', 'Instructions are ready.'] };
    case 'execution_start':
      return {
        title: 'Execution Started',
        lines: ['EXECUTION STARTED', '', `Mode: ${notice.mode}`, `Max Iterations: ${notice.maxIterations}`],
      };
    case 'iteration':
    case 'iteration_milestone': {
      const count = `${notice.iteration}/${notice.maxIterations}`;
      const isMilestone = notice.type === 'iteration_milestone';
      const details = [
        isMilestone ? `Iteration: ${count}` : undefined,
        notice.remaining === undefined ? undefined : `Remaining: ${notice.remaining}`,
        notice.summary,
      ].filter((line) => line !== undefined);
      return {
        title: isMilestone ? `Milestone: Iteration ${notice.iteration}` : `Iteration ${count}`,
        lines: [
          isMilestone ? 'ITERATION MILESTONE' : `ITERATION ${count}`,
          ...(details.length > 0 ? ['', ...details] : []),
        ],
      };
    }
    case 'completion':
      return {
        title: 'Task Complete',
        lines: [
          'TASK COMPLETE ✅',
          '',
          `Iterations: ${notice.iterations}`,
          notice.stopReason === 'complete' ? undefined : `Reason: ${notice.stopReason}`,
          notice.summary,
        ],
      };
    case 'error':
      return {
        title: 'Error',
        lines: [
          'ERROR ENCOUNTERED ⚠️',
          '',
          notice.iteration === undefined
            ? notice.message
            : `Iteration ${notice.iteration} failed: ${notice.message}`,
        ],
      };
    case 'usage_limit':
      return {
        title: 'Usage Limit',
        lines: [
          'USAGE LIMIT REACHED ⏳',
          '',
          notice.iteration === undefined ? undefined : `Iteration: ${notice.iteration}`,
          notice.waits,
          ...soFar(notice),
        ],
      };
    case 'question':
      return {
        title: 'Question',
        lines: [
          'QUESTION FOR YOU ❓',
          '',
          notice.message,
          notice.choices.length === 0 ? undefined : `Choices: ${notice.choices.join(', ')}`,
        ],
      };
    case 'ended':
      return {
        title: 'Maximum Reached',
        lines: [
          'MAXIMUM ITERATIONS REACHED ⚠️',
          '',
          `Iterations: ${notice.iterations}/${notice.maxIterations}`,
          ...soFar(notice),
        ],
      };
    case 'status_update':
      return {
        title: `Progress Update (Iteration ${notice.iteration})`,
        lines: ['STATUS UPDATE', '', progressLine(notice), notice.complete ? '✅ Complete!' : undefined],
      };
    case 'verification': {
      const word = { pass: 'PASSED', fail: 'FAILED', needs_review: 'NEEDS REVIEW' }[notice.status];
      return {
        title: `Verification: ${word.toLowerCase()}`,
        lines: [`VERIFICATION ${word}`, ...(notice.summary === undefined ? [] : ['', notice.summary])],
      };
    }
    default:
      return unreachable(notice);
  }
}

function soFar({ remaining, cost }: SoFar): readonly (string | undefined)[] {
  return [
    remaining === undefined ? undefined : `Remaining: ${remaining}`,
    cost === undefined ? undefined : `Cost: ${cost}`,
  ];
}

/** `35/60 items (+5) - Migrated 35/60 API endpoints`. */
function progressLine(notice: Extract<Notice, { type: 'status_update' }>): string | undefined {
  const { progress, completedDelta, summary } = notice;
  const change = completedDelta === 0 ? '' : ` (${completedDelta > 0 ? '+' : ''}${completedDelta})`;
  const count = progress === undefined ? undefined : `${progress.completed}/${progress.total} items${change}`;
  const words = [count, summary].filter((word) => word !== undefined && word !== '');
  return words.length === 0 ? undefined : words.join(' - ');
}
