/** Shows a loop on this terminal: the announcement, its view, and the keys it reads. */
import type { JournalEvent } from '../../model/event.ts';
import { agentVersion } from '../../operations/loops/site/agent.ts';
import { requestedEnd, requestStop } from '../../operations/loops/stop-loop.ts';
import { LoopTally, type OutputLevel } from '../../operations/loops/watch-loop.ts';
import type { LoopOutlook } from '../../operations/run-plan.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import type { CliContext } from '../context.ts';
import { siteOf } from '../site.ts';
import { createConsoleView } from './console-view.ts';
import { listenForKeys } from './keys.ts';
import { STDERR, STDOUT } from './live-view.ts';

export interface LoopReporterOptions {
  readonly loop: LoopOutlook;
  readonly level: OutputLevel;
  /** Events recorded by earlier processes of the run. */
  readonly history: readonly JournalEvent[];
}

export async function createLoopReporter(
  context: CliContext,
  { loop, level, history }: LoopReporterOptions,
): Promise<Reporter> {
  if (level !== 'quiet') await announce(context, loop);
  const tally = new LoopTally(loop);
  for (const event of history) tally.apply(event);
  let isInterrupted = false;
  const view = createConsoleView({
    level,
    tally,
    again: loop.again,
    color: context.color.stdout && loop.colors,
    terminal: STDOUT,
    write: (text) => context.display(text),
    // On one terminal, warnings scroll by above the panel.
    ...(STDOUT.isTerminal && STDERR.isTerminal ? {} : { warn: (text: string) => context.screen(text) }),
    ending: () => (isInterrupted ? 'interrupt' : requestedEnd(loop)),
  });
  const stopListening = listenForKeys({
    onStop: () => requestStop(siteOf(context), loop),
    onSuspend: () => view.leave(),
    onContinue: () => view.comeBack(),
  });
  return {
    event(event) {
      tally.apply(event);
      view.event(event);
    },
    say: (text) => view.say(text),
    stopping() {
      isInterrupted = true;
    },
    close() {
      stopListening();
      view.close();
    },
  };
}

const NOTES: { readonly [Permissions in LoopOutlook['permissions']]?: (loop: LoopOutlook) => string } = {
  all: () => '⚠️ Permission prompts are skipped: the agent may change files and run commands without asking.',
  asked: ({ again }) =>
    `⚠️ Apart from the calls that your \`ask\` rules decide, the agent may do only what its own settings allow, by default not even write files.\n   Allow everything else: ${again.asNew} --dangerously-skip-permissions`,
  'own-settings': ({ again }) =>
    `⚠️ The agent cannot ask for permission: it may do only what its own settings allow, by default not even write files.\n   Allow everything: ${again.asNew} --dangerously-skip-permissions`,
};

async function announce(context: CliContext, loop: LoopOutlook): Promise<void> {
  const { agent, isDry, permissions } = loop;
  if (isDry) {
    context.out('Dry run: using the built-in mock agent.\n');
    return;
  }
  const note = NOTES[permissions]?.(loop);
  if (note !== undefined) context.err(`${note}\n`);
  const version = await agentVersion(siteOf(context), agent);
  if (version !== undefined) context.out(`Agent: ${agent.name} ${version}\n`);
}
