/** The state of the loop, and how it is written to the workspace's documents. */
import type { DocumentChange, OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
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
  /** Consecutive iterations without work. */
  noWork: number;
  /** Consecutive iterations in which the agent was denied a tool and made no progress. */
  deniedInVain: number;
  /** The agent's report at the end of the last iteration; see `TaskProgress`. */
  mark: string;
  verifications: number;
  resumeCycles: number;
  /** Why the last claim of completion was rejected. */
  findings?: string;
}

/** Why the loop ended. */
export type LoopEnd = Omit<IterateOutput, 'iterations' | 'retryKeys'> & {
  readonly retryKeys?: readonly StepKey[];
};

/** I1: sets the counters from the journal. Returns why they could not be written. */
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

/** The `run` field of the metadata: the run's progress, for views and for resuming. */
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
    ...defined({ summary: progress?.summary }),
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
