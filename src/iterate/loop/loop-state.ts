/** The state of the loop, and how it is written to the workspace's documents. */
import { join } from 'node:path';
import type { DocumentChange, OrchestrateDurable, UpdateDocumentOutput } from '../../effects/contracts.ts';
import type { Ledger } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Resting } from '../agent/agent-call.ts';
import type { CountedBefore, IterateInput, IterateOutput, LoopLimits, TaskInput } from '../input.ts';
import type { Place } from '../prompts/place.ts';
import type { Words } from '../prompts/words.ts';
import { FILES } from '../workspace/layout.ts';
import type { TaskProgress } from './progress.ts';

export interface LoopState {
  readonly durable: OrchestrateDurable;
  readonly input: IterateInput;
  readonly before: CountedBefore;
  readonly ledger: Ledger;
  readonly resting: Resting;
  /** Workspace-relative: the loop's own worktree. */
  readonly cwd?: string;
  /** The tree after the last iteration; omitted without version control. */
  tree?: string;
  /** The agent's summary of the last iteration. */
  summary?: string;
  /** The limits of the current iteration. */
  limits: LoopLimits;
  iteration: number;
  /** Consecutive iterations without work. */
  noWork: number;
  /** Consecutive iterations in which the agent was denied a tool and made no progress. */
  deniedInVain: number;
  /** Consecutive iterations that were stopped by their time limit and made no progress. */
  timedOut: number;
  /** The agent's report at the end of the last iteration; see `TaskProgress`. */
  mark: string;
  /** A dry run found a status file: it may be the report of a real agent, so it stays as it is. */
  readonly keepsStatus: boolean;
  verifications: number;
  resumeCycles: number;
  /** Why the last claim of completion was rejected. */
  findings?: Words;
  instructions: string;
  /** The last change by `set` that took effect. */
  changedAt?: string;
  /** By question. */
  readonly answers: Map<string, string>;
  /** To the questions of the last iteration. */
  answered?: readonly { readonly question: string; readonly answer: string }[];
  /** Why the status file of the last iteration could not be used. */
  statusProblem?: string;
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
  const changed = await changeMetadata(durable, input, {
    key,
    changes: [
      set(['executionIterations'], before.executionIterations + iteration),
      set(['totalIterations'], before.totalIterations + iteration),
      ...changes,
    ],
  });
  return changed.failure;
}

/** A dry run only records what it would write: its workspace has not been worked on. */
export async function changeMetadata(
  durable: OrchestrateDurable,
  { workspacePath: root, dryRun }: TaskInput,
  { key, changes }: { readonly key: StepKey; readonly changes: readonly DocumentChange[] },
): Promise<UpdateDocumentOutput> {
  if (dryRun === true) {
    const { output } = await durable.step(key, 'remember', { value: documentOf(changes) });
    return { document: output.value as JsonObject };
  }
  return (await durable.step(key, 'update-document', { root, path: FILES.metadata, changes })).output;
}

/** A document with only these changes. */
function documentOf(changes: readonly DocumentChange[]): JsonObject {
  const document: { [name: string]: JsonValue } = {};
  for (const change of changes) {
    const [name = '', inner] = change.at;
    if (change.type !== 'set') continue;
    document[name] =
      inner === undefined ? change.value : { ...(document[name] as JsonObject), [inner]: change.value };
  }
  return document;
}

/** The `run` field of the metadata: the run's progress, for views and for resuming. */
export function runField(
  input: IterateInput,
  at: Pick<LoopState, 'iteration' | 'noWork'> & { readonly limits: Pick<LoopLimits, 'maxIterations'> },
  { progress, cutBy }: { readonly progress?: TaskProgress; readonly cutBy?: CutBy } = {},
): JsonObject {
  return {
    id: input.runId,
    iteration: at.iteration,
    maxIterations: at.limits.maxIterations,
    noWork: at.noWork,
    remaining: progress?.remaining ?? null,
    ...defined({ summary: progress?.summary, cutBy }),
  };
}

/** The limit that stopped an iteration before its agent had finished. */
export type CutBy = 'time' | 'budget';

/** I3 */
export async function dropClaim(
  durable: OrchestrateDurable,
  key: StepKey,
  { root, dropsAbort = false }: { readonly root: string; readonly dropsAbort?: boolean },
): Promise<void> {
  await durable.step(key, 'update-document', {
    root,
    path: FILES.status,
    changes: [set(['complete'], false), ...(dropsAbort ? [{ type: 'remove', at: ['abort'] } as const] : [])],
  });
}

export async function explain({ durable }: LoopState, key: StepKey, message: string): Promise<void> {
  await durable.step(sideKey(key, 'why'), 'note', { type: 'decision', message }, { syncWithNext: true });
}

/** The folders that the prompts name. */
export function placeOf({ input, cwd }: Pick<LoopState, 'input' | 'cwd'>): Place {
  const { projectRoot, workspacePath } = input;
  return { projectRoot: cwd === undefined ? projectRoot : join(projectRoot, cwd), workspacePath };
}

export function set(at: readonly string[], value: JsonValue): DocumentChange {
  return { type: 'set', at, value };
}
