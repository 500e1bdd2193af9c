import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { QUEUE_DEFAULTS, type Queue } from '../../queue/queue.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { InvalidFile, Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface QueueChoice {
  /** Workflow that sets the folders and the file extension. */
  readonly workflow?: string | undefined;
}

export function findQueue(
  { workspace }: Pick<Site, 'workspace'>,
  { workflow }: QueueChoice,
): Result<Queue, InvalidFile> {
  if (workflow === undefined) return ok({ workspace, ...QUEUE_DEFAULTS });
  const loaded = loadWorkflow(workspace, workflow);
  if (loaded.type === 'error') return error({ type: 'invalid-file', diagnostics: loaded.error });
  const { inboxDir, processedDir, failedDir, taskExtension } = loaded.value.definition.queue;
  return ok({ workspace, inboxDir, processedDir, failedDir, extension: taskExtension });
}

/** The input is invalid, or the file system refused it. */
export function queueProblem(failure: Failure): Problem {
  return { type: failure.type === 'file' ? 'failure' : 'invalid-place', failure };
}
