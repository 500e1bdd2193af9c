/** What follows a running loop: the log in its workspace, the log of the mock agent, and notifications. */
import { isMilestone } from '../../engine/milestone.ts';
import { LoopTally } from '../../iterate/events/loop-tally.ts';
import type { IterateInput } from '../../iterate/input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent, RunEvent } from '../../model/event.ts';
import { inputOf } from '../../operations/loops/run/left-run.ts';
import type { OpenedWorkspace } from '../../operations/loops/site/find-loop.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { eventsOf } from '../../operations/runs/read-run.ts';
import { runPaths } from '../../store/layout.ts';
import type { HoldFor } from '../hold.ts';
import type { LoopListener } from './loop-listener.ts';
import { createLoopNotices } from './loop-notices.ts';
import { loopNotifier } from './loop-notifier.ts';
import { createLoopReports } from './loop-reports.ts';
import { createMockLog } from './mock-log.ts';
import { createWorkspaceLog } from './workspace-log.ts';

export interface LoopWatch {
  /** A dry run. */
  readonly isTrial: boolean;
  event(event: RunEvent): void;
  /** Waits briefly for notifications being sent. */
  close(): Promise<void>;
}

export function watchLoop(plan: RunPlan, workspace: OpenedWorkspace, by: HoldFor): LoopWatch {
  const { config, paths } = workspace;
  const history = historyOf(plan, by);
  const input = inputOfPlan(plan, history);
  const startedAt = history.find((event) => event.type === 'run-started')?.at;
  const tally = new LoopTally(input);
  for (const event of history) tally.apply(event);
  const onProblem = (problem: string): void => by.onProblem(problem);
  // A dry run is no news.
  const made = input.dryRun === true ? undefined : loopNotifier(by.site, workspace, onProblem);
  if (made?.type === 'error') onProblem(made.error);
  const notifier = made?.type === 'ok' ? made.value : undefined;
  const places = { folder: paths.folder, project: plan.workspace };
  const listeners: readonly LoopListener[] = [
    createWorkspaceLog({ input, tally, onProblem, ...places, ...defined({ startedAt }) }),
    ...(input.dryRun === true
      ? [createMockLog(onProblem)]
      : [createLoopReports({ input, history, onProblem, ...places })]),
    ...(notifier === undefined
      ? []
      : [createLoopNotices({ notifier, tally, statusPath: paths.status, config })]),
  ];
  return {
    isTrial: input.dryRun === true,
    event(event) {
      tally.apply(event);
      for (const listener of listeners) listener.event(event);
    },
    async close() {
      for (const listener of listeners) listener.close();
      await notifier?.drain();
    },
  };
}

/** Events recorded by earlier processes of the run. */
function historyOf({ begin, runId }: RunPlan, { site }: HoldFor): readonly JournalEvent[] {
  return begin.type === 'new' ? [] : eventsOf({ paths: runPaths(site.workspace, runId) });
}

function inputOfPlan({ begin }: RunPlan, events: readonly JournalEvent[]): IterateInput {
  const input =
    begin.type === 'new' ? begin.input : begin.type === 'resume' ? begin.change?.input : undefined;
  return (
    (input as unknown as IterateInput | undefined) ?? inputOf({ milestones: events.filter(isMilestone) })
  );
}
