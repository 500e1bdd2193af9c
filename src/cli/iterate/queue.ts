import { join } from 'node:path';
import { reportQueueBegun } from '../../host/loops/detached-queue.ts';
import { killAllNow, runLoopProcess } from '../../host/loops/loop-process.ts';
import { writeNightReport } from '../../host/loops/night-report.ts';
import { type QueueEvent, runQueue } from '../../host/loops/run-queue.ts';
import { onStopSignal, type StopSignal } from '../../host/stop-signals.ts';
import { unreachable } from '../../model/unreachable.ts';
import {
  addToQueue,
  type ListedInQueue,
  listQueue,
  removeFromQueue,
} from '../../operations/loops/queue/change-queue.ts';
import type { QueuedState } from '../../operations/loops/queue/queued-state.ts';
import { againWords } from '../../operations/loops/run/again.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { answerOf, type IterateCommand, shownPath } from './command.ts';
import { type RunFlags, runOptionsOf } from './run.ts';

export async function add(command: IterateCommand, name: string, flags: RunFlags): Promise<void> {
  const { context, site, settings } = command;
  const added = await answerOf(command, () =>
    addToQueue(site, { settings, name, options: runOptionsOf(flags) }),
  );
  if (added === undefined) return;
  if (added.untrusted !== undefined)
    context.err(`warning: the next \`queue run\` asks whether to trust its options: ${added.untrusted}\n`);
  context.out(`✓ ${name} is number ${added.position} in the queue\n`);
}

export async function remove(command: IterateCommand, name: string): Promise<void> {
  const { context, site, settings } = command;
  const removed = await answerOf(command, async () => {
    const done = await removeFromQueue(site, { settings, name });
    return done.type === 'ok' ? { type: 'ok' as const, value: true } : done;
  });
  if (removed !== undefined) context.out(`✓ ${name} removed from the queue\n`);
}

export async function list(command: IterateCommand, flags: { readonly json?: boolean }): Promise<void> {
  const { context, site, settings } = command;
  const listed = await answerOf(command, () => listQueue(site, { settings }));
  if (listed === undefined) return;
  if (flags.json === true) context.out(`${JSON.stringify(listed, null, 2)}\n`);
  else if (listed.length === 0)
    context.err('The queue is empty. Add a loop: claude-iterate queue add <name>\n');
  else context.out(queueTable(listed));
}

function queueTable(listed: readonly ListedInQueue[]): string {
  return renderTable(
    [{ title: '#', align: 'right' }, { title: 'NAME' }, { title: 'STATE' }],
    listed.map(({ name, state }, index) => [String(index + 1), name, printableLine(stateText(state))]),
  );
}

function stateText(state: QueuedState): string {
  switch (state.type) {
    case 'queued':
    case 'paused':
    case 'interrupted':
      return state.type;
    case 'running':
      return `running (process ${state.pid})`;
    case 'waiting':
      return `waiting for an answer: ${state.questions.join('; ')}`;
    case 'ended':
      return state.stopReason === undefined ? state.status : `${state.status} (${state.stopReason})`;
    case 'unusable':
      return `cannot be run: ${state.why}`;
    default:
      return unreachable(state);
  }
}

export async function run(
  command: IterateCommand,
  { maxParallel, detached }: { readonly maxParallel: number; readonly detached?: true },
): Promise<void> {
  const { context, site, settings } = command;
  const controller = new AbortController();
  let stoppedBy: StopSignal | undefined;
  const dispose = onStopSignal((signal) => {
    if (stoppedBy !== undefined) {
      killAllNow();
      process.exit(EXIT.interrupted[stoppedBy]);
    }
    stoppedBy = signal;
    context.err('Interrupted: stopping the running loops. Press Ctrl-C again to force quit.\n');
    controller.abort(signal);
  });
  const program = [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js'), 'iterate'];
  try {
    const ended = await answerOf(command, () =>
      runQueue(site, {
        settings,
        maxParallel,
        signal: controller.signal,
        run: (name, options = {}) =>
          runLoopProcess(site, {
            argv: [
              ...program,
              ...(command.trust ? ['--trust'] : []),
              ...againWords({ name, workspacesDir: settings.workspacesDir, options }),
            ],
            signal: controller.signal,
            onLine: (stream, line) =>
              (stream === 'stdout' ? context.out : context.err)(`[${name}] ${line}\n`),
          }),
        ...(detached === true ? { onBegin: reportQueueBegun } : {}),
        onEnd: (loops) => report(command, loops),
        onEvent: (event) => context.out(`${eventText(event)}\n`),
      }),
    );
    if (ended === undefined) return;
    context.exitCode = stoppedBy === undefined ? exitCodeAfter(ended) : EXIT.interrupted[stoppedBy];
    if (stoppedBy === undefined) sayWhatWaits(command, ended);
  } finally {
    dispose();
  }
}

/** Also after a failure of others. */
function sayWhatWaits({ context }: IterateCommand, loops: readonly ListedInQueue[]): void {
  const waiting = loops.filter(({ state }) => state.type === 'waiting' || state.type === 'paused');
  if (waiting.length === 0) return;
  const lines = waiting.map(({ name, state }) => `  ${name}: ${printableLine(stateText(state))}\n`);
  context.err(
    `Some loops wait for you:\n${lines.join('')}Answer or resume them (claude-iterate show <name> says how), then run the queue again: claude-iterate queue run\n`,
  );
}

function report({ context, site, settings }: IterateCommand, loops: readonly ListedInQueue[]): void {
  const written = writeNightReport(site, { settings }, loops);
  if (written.type === 'error') refuse(context, written.error);
  else if (written.value !== undefined)
    context.out(`Report: ${shownPath(site, written.value.path)}.md and .html\n`);
}

function exitCodeAfter(loops: readonly ListedInQueue[]): number {
  const is = (...types: readonly QueuedState['type'][]): boolean =>
    loops.some(({ state }) => types.includes(state.type));
  const hasFailed = loops.some(({ state }) => state.type === 'ended' && isFailed(state));
  if (hasFailed || is('unusable', 'interrupted', 'queued')) return EXIT.failed;
  return is('waiting', 'paused') ? EXIT.waiting : EXIT.done;
}

function isFailed({ status, stopReason }: Extract<QueuedState, { type: 'ended' }>): boolean {
  return status === 'error' || stopReason === 'verification' || stopReason === 'budget';
}

function eventText(event: QueueEvent): string {
  switch (event.type) {
    case 'started':
      return `▶ ${event.name}: ${event.isResumed ? 'resumed' : 'started'}`;
    case 'stopped':
      return `■ ${event.name}: ${printableLine(stateText(event.state))}`;
    default:
      return unreachable(event);
  }
}
