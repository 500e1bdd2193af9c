import fs from 'node:fs';
import type { Config } from '../../../iterate/config/layers.ts';
import type { IterateInput } from '../../../iterate/input.ts';
import type { OutputLevel } from '../../../iterate/mode.ts';
import type { JournalEvent, RunEvent } from '../../../model/event.ts';
import type { Reporter } from '../../../report/live/reporter.ts';
import type { CliContext } from '../../context.ts';
import type { OpenedWorkspace } from '../site/site.ts';
import { createConsoleView } from './console-view.ts';
import { type ScreenView, STDERR } from './live-view.ts';
import { createLogView } from './log-view.ts';
import { createMockLog } from './mock-log.ts';
import { createNotifyView, type Notifier } from './notify-view.ts';
import { RunTally } from './tally.ts';

export interface ViewsOptions {
  readonly workspace: OpenedWorkspace;
  readonly config: Config;
  readonly notifier?: Notifier;
  readonly input: IterateInput;
  readonly level: OutputLevel;
  /** What an earlier owner of the run recorded. */
  readonly earlier: readonly JournalEvent[];
}

/** Every view is a listener of the one stream. */
export function createViews(context: CliContext, options: ViewsOptions): ScreenView {
  const { workspace, config, notifier, input, level } = options;
  const startedAt = options.earlier.find((event) => event.type === 'run-started')?.at;
  const tally = new RunTally(input);
  for (const event of options.earlier) tally.apply(event);
  const shown = createConsoleView({
    level,
    tally,
    color: context.color.stderr && config.get<boolean>('colors'),
    terminal: STDERR,
    write: (text) => context.screen(text),
    isStopping: () => fs.existsSync(workspace.paths.stop),
  });
  const onProblem = (problem: string): void => shown.say(`warning: ${problem}`);
  const views: readonly Reporter[] = [
    createLogView({
      folder: workspace.paths.folder,
      ...{ input, tally, onProblem },
      ...(startedAt === undefined ? {} : { startedAt }),
    }),
    ...(input.dryRun === true ? [createMockLog(onProblem)] : []),
    ...(notifier === undefined
      ? []
      : [createNotifyView({ notifier, input, tally, statusPath: workspace.paths.status, config })]),
    shown,
  ];
  return {
    event(event: RunEvent) {
      tally.apply(event);
      for (const view of views) view.event(event);
    },
    say: (text) => shown.say(text),
    leave: () => shown.leave(),
    comeBack: () => shown.comeBack(),
    close() {
      for (const view of views) view.close();
    },
  };
}
