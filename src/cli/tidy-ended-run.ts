import { type ResumeProblem, type RunEnd, resumeRun } from '../engine/local-run.ts';
import type { RunId } from '../model/ids.ts';
import { ok, type Result } from '../model/result.ts';
import type { CliContext } from './context.ts';
import { execute } from './execute.ts';

/**
 * Of a run whose end is recorded: its process may have been killed before its views said so and its lock and unused files were gone. That is
 * made up for here. Where somebody holds it, they are doing it.
 */
export async function tidyEndedRun(context: CliContext, runId: RunId): Promise<number> {
  const { exitCode } = await execute({
    context,
    runId,
    output: { quiet: true },
    secrets: [],
    begin: async (host, signal) => {
      const ended = await resumeRun(host, { workspace: context.workspace, runId }, signal);
      return heldIsWell(ended, runId);
    },
  });
  return exitCode;
}

function heldIsWell(ended: Result<RunEnd, ResumeProblem>, runId: RunId): Result<RunEnd, ResumeProblem> {
  return ended.type === 'error' && ended.error.type === 'held' ? ok({ runId, status: 'completed' }) : ended;
}
