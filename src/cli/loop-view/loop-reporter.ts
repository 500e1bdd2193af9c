/** Shows a loop on this terminal: the announcement, its view, and the keys it reads. */
import type { JournalEvent } from '../../model/event.ts';
import { agentVersion } from '../../operations/loops/site/agent.ts';
import { isStopRequested, requestStop } from '../../operations/loops/stop-loop.ts';
import { LoopTally, type OutputLevel } from '../../operations/loops/watch-loop.ts';
import type { LoopOutlook } from '../../operations/run-plan.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import type { CliContext } from '../context.ts';
import { siteOf } from '../site.ts';
import { createConsoleView } from './console-view.ts';
import { listenForKeys } from './keys.ts';
import { STDERR } from './live-view.ts';

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
  const view = createConsoleView({
    level,
    tally,
    color: context.color.stderr && loop.colors,
    terminal: STDERR,
    write: (text) => context.screen(text),
    isStopping: () => isStopRequested(loop),
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
    close() {
      stopListening();
      view.close();
    },
  };
}

async function announce(context: CliContext, { agent, isDry, skipsPermissions }: LoopOutlook): Promise<void> {
  if (skipsPermissions)
    context.err(
      '⚠️ Permission prompts are skipped: the agent may change files and run commands without asking.\n',
    );
  if (isDry) {
    context.err('Dry run: using the built-in mock agent.\n');
    return;
  }
  const version = await agentVersion(siteOf(context), agent);
  if (version !== undefined) context.err(`Agent: ${agent.name} ${version}\n`);
}
