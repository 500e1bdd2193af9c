/** Runs a workflow file over the journal of a run, as `resume` would, without starting anything. */
import { checkReplay, type ReplayDivergence } from '../../code/replay/check-replay.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { runPaths } from '../../store/layout.ts';
import { runWorkflow, type WorkflowInput } from '../../workflow/run/program.ts';
import type { Site } from '../site.ts';
import { programCaller } from '../workflows/call-program.ts';
import type { LoadedFile } from '../workflows/load.ts';
import { definitionOf, startedAtOf } from '../workflows/plan-workflow.ts';
import { replayHost } from './replay-host.ts';

export interface WorkflowReplay {
  /** The first in its programs in code. */
  readonly divergence?: ReplayDivergence;
  /** Completed steps of the file that ask for something else now. */
  readonly otherInputs: readonly StepKey[];
}

export async function replayWorkflow(
  site: Site,
  replayed: {
    readonly input: WorkflowInput;
    readonly loaded: LoadedFile;
    readonly events: readonly JournalEvent[];
    /** The programs are those that were accepted last. */
    readonly isAccepted?: boolean;
  },
): Promise<WorkflowReplay> {
  const { input, loaded, events, isAccepted = false } = replayed;
  const { runId, workspace, cassette, acceptedAt } = input;
  const { host, redact } = replayHost(site, definitionOf(input).secrets);
  const others = new Set<StepKey>();
  const divergence = await checkReplay({
    site: { runId, workspace, directory: runPaths(workspace, runId).directory },
    ...{ events, outermost: 'file', redact },
    ...(isAccepted ? defined({ acceptedAt }) : {}),
    files: loaded.programs.flatMap(({ sources }) => sources.map(({ file }) => file)),
    onOtherInput: (key) => others.add(ownerOf(key)),
    run: async (durable, replay, signal) => {
      const run = { runId, workspace, startedAt: startedAtOf(input), ...defined({ cassette, acceptedAt }) };
      const callProgram = programCaller({ run, programs: loaded.programs, host, signal, replay });
      const { failure } = await runWorkflow(durable, input, callProgram);
      return failure;
    },
  });
  return { otherInputs: [...others], ...defined({ divergence }) };
}
