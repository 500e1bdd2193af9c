/** What the loop remembers, and how it is put into the documents of the workspace. */
import type { DocumentChange, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import type { IterateInput, IterateOutput } from '../input.ts';
import { FILES } from '../workspace/layout.ts';
import type { CountedBefore } from '../workspace/metadata.ts';
import type { TaskProgress } from './progress.ts';

export interface LoopState {
  readonly durable: OrchestrateDurable;
  readonly input: IterateInput;
  readonly before: CountedBefore;
  readonly spent: Spent[];
  iteration: number;
  /** Iterations in a row in which nothing was done. */
  noWork: number;
  /** Iterations in a row in which the agent was refused a tool and got nowhere. */
  deniedInVain: number;
  /** What the agent had said of the task when the last iteration ended: see `TaskProgress`. */
  mark: string;
  verifications: number;
  resumeCycles: number;
  /** What the last claim of completion failed on. */
  findings?: string;
}

/** Why the loop is over. */
export type LoopEnd = Omit<IterateOutput, 'iterations' | 'retryKeys'> & {
  readonly retryKeys?: readonly StepKey[];
};

/** I1: counters are set to what the journal tells. Answers why they could not be written. */
export async function updateMetadata(
  state: LoopState,
  key: StepKey,
  changes: readonly DocumentChange[],
): Promise<Failure | undefined> {
  const { durable, input, before, iteration } = state;
  const { output } = await durable.step(key, 'update-document', {
    root: input.workspacePath,
    path: FILES.metadata,
    changes: [
      set(['executionIterations'], before.executionIterations + iteration),
      set(['totalIterations'], before.totalIterations + iteration),
      ...changes,
    ],
  });
  return output.failure;
}

/** The field `run` of the metadata: how far the run has come, for views and for whoever goes on with it. */
export function runField(
  input: IterateInput,
  at: { readonly iteration: number; readonly noWork: number },
  progress?: TaskProgress,
): JsonObject {
  return {
    id: input.runId,
    iteration: at.iteration,
    maxIterations: input.maxIterations,
    noWork: at.noWork,
    remaining: progress?.remaining ?? null,
    ...(progress?.summary === undefined ? {} : { summary: progress.summary }),
  };
}

/** I3 */
export async function dropClaim(durable: OrchestrateDurable, key: StepKey, root: string): Promise<void> {
  await durable.step(key, 'update-document', {
    root,
    path: FILES.status,
    changes: [set(['complete'], false)],
  });
}

export async function explain({ durable }: LoopState, key: StepKey, message: string): Promise<void> {
  await durable.step(sideKey(key, 'why'), 'note', { type: 'decision', message }, { syncWithNext: true });
}

export function set(at: readonly string[], value: JsonValue): DocumentChange {
  return { type: 'set', at, value };
}
