/** The state of a loop's last run while it can be resumed: interrupted, paused, or waiting for a person. */
import { isAnswered } from '../../../engine/read-answer.ts';
import { isPause } from '../../../iterate/events/pause.ts';
import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId, type StepKey } from '../../../model/ids.ts';
import type { QuestionState, RunState } from '../../../model/run-state.ts';
import type { RunPaths } from '../../../store/layout.ts';
import { lookAtRun } from '../../runs/list-runs.ts';
import { folderSource } from '../../runs/run-source.ts';
import type { Site } from '../../site.ts';

export type LeftState =
  /** Its process was killed or interrupted. */
  | { readonly type: 'interrupted' }
  | { readonly type: 'paused' }
  | { readonly type: 'waiting'; readonly runId: string; readonly questions: readonly OpenQuestion[] }
  /** All its questions are, but nothing has resumed it yet. */
  | { readonly type: 'answered' };

export interface OpenQuestion {
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
}

/** Undefined: it has ended, is running, or was never run. */
export function leftStateOf(site: Site, metadata: Metadata): LeftState | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined) return undefined;
  const run = lookAtRun(folderSource(site.workspace), runId);
  if (run.type !== 'run' || run.isAlive) return undefined;
  const { status } = run.state;
  if (status === 'interrupted') return { type: 'interrupted' };
  return status === 'waiting' ? waitingState(runId, run) : undefined;
}

function waitingState(
  runId: string,
  { paths, state }: { readonly paths: RunPaths; readonly state: RunState },
): LeftState {
  const open = openQuestions(paths, state);
  if (open.some(({ key }) => isPause(key))) return { type: 'paused' };
  return open.length === 0 ? { type: 'answered' } : { type: 'waiting', runId, questions: open };
}

/** Those that no one has answered since the run stopped. */
export function openQuestions(
  paths: RunPaths,
  { waiting_for = {} }: Pick<RunState, 'waiting_for'>,
): readonly OpenQuestion[] {
  return Object.entries(waiting_for)
    .filter(
      ([key, question]: readonly [string, QuestionState]) => !isAnswered(paths, key as StepKey, question),
    )
    .map(([key, { message, choices }]) => ({ key, message, choices }));
}
