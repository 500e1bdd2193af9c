/** A run with everything a run can contain: retries, a loop, a goto, branches, a skipped step, files, a failure. */
import type { JournalEvent } from '../../src/model/event.ts';
import { at, began, EXIT_1, ended, noted, runEnded, runStarted } from './events.ts';

const LOOP_FAILURE = {
  type: 'branches-failed',
  causes: [{ branch: 'Build/1', message: 'the command ended with exit code 1' }],
} as const;

export const SAMPLE: readonly JournalEvent[] = [
  runStarted('ship <b>it</b>', { workflow_file: 'workflows/ship.yaml' }),
  { type: 'time-read', at: at(0), key: 'run@started' as never },
  began('Plan', 100, {
    effect: 'run-agent',
    input: { agent: {}, prompt: [{ type: 'file', path: 'prompts/plan.md' }], capture: 'text' },
  }),
  {
    type: 'attempt-ended',
    at: at(1100),
    key: 'Plan' as never,
    attempt: 1,
    failure: { type: 'agent', outcome: { type: 'overloaded', message: 'busy' } },
    counted: true,
    nextAt: at(2100),
    spent: { costUsd: 0.01 },
  },
  began('Plan', 2100, { effect: 'run-agent', attempt: 2 }),
  ended('Plan', [100, 4100], {
    effect: 'run-agent',
    attempts: 2,
    output: {
      artifacts: ['artifacts/plan.md'],
      spent: { costUsd: 0.25, usage: { inputTokens: 12_000, outputTokens: 800 } },
    },
  }),
  noted('Plan@goto', 4100, { type: 'decision', message: 'succeeded; continuing at `Build`' }),
  noted('Build@container', 4200, { type: 'container', kind: 'for-each', items: ['a.task', 'b|<i>.task'] }),
  began('Build/0/Make', 4200, { input: { argv: ['make'], stdinFile: 'artifacts/plan.md' } }),
  ended('Build/0/Make', [4200, 5200], { output: { artifacts: ['out/a'] } }),
  noted('Build/0/item@done', 5200, { type: 'item-completed', index: 0 }),
  began('Build/1/Make', 5200),
  ended('Build/1/Make', [5200, 5700], {
    failure: EXIT_1,
    output: { stderrTail: 'warning: x\n\u001b[31merror: ``` <script>\u001b[0m\n', stdoutTail: '' },
  }),
  noted('Build@record', 5700, {
    type: 'record',
    record: { status: 'failed', exitCode: 1, failure: LOOP_FAILURE, durationMs: 1500, attempts: 1 },
  }),
  noted('Build@goto', 5700, { type: 'decision', message: 'failed; continuing at `Side`' }),
  noted('Side@container', 5800, { type: 'container', kind: 'parallel' }),
  began('Side/left/Lint', 5800),
  began('Side/right/Ask', 5800, { effect: 'run-agent' }),
  ended('Side/left/Lint', [5800, 5900]),
  ended('Side/right/Ask', [5800, 6800], { effect: 'run-agent', output: { spent: { costUsd: null } } }),
  noted('Side@record', 6800, {
    type: 'record',
    record: { status: 'completed', exitCode: 0, durationMs: 1000, attempts: 1 },
  }),
  noted('Deploy@record', 6900, {
    type: 'record',
    record: { status: 'skipped', exitCode: 0, durationMs: 0, attempts: 0 },
  }),
  noted('Deploy@why', 6900, { type: 'decision', message: 'skipped: `a` is not `b`' }),
  runEnded(7000, 'failed', {
    failure: LOOP_FAILURE,
    output: { failedStep: 'Build', retryKeys: ['Build/1/Make', 'Build@ended'] },
  }),
];
