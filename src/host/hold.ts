/** What a run locks besides itself: acquired before the run starts, released after its end is recorded. */
import type { RunEnd } from '../engine/local-run.ts';
import type { RunEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';
import { localPath } from '../store/portable-path.ts';

export interface Hold {
  /** The plan, completed with what could only be decided now. */
  readonly plan: RunPlan;
  readonly taken?: TakenHold;
  /** More values that must not be written to any file of the run, although they are in no environment variable. */
  readonly secrets?: readonly string[];
  /** The address that it notifies by itself. */
  readonly notifies?: string | undefined;
  /** A dry run: no news. */
  readonly isTrial?: boolean;
  event?(event: RunEvent): void;
  /** Records the end of the run in what is held. */
  ended?(end: RunEnd): Promise<void>;
  /** Called however the run ended. */
  release(): void | Promise<void>;
}

/** A run that workers carry out: their database says which of them does. */
export interface SharedRun {
  /** It continues by itself: an earlier owner has died, or a question was answered. */
  readonly isContinued: boolean;
  /** A person has asked for it to be resumed. */
  readonly isResumed: boolean;
  /** Answers a question of it; the first answer counts. */
  answer(key: StepKey, text: string): Promise<void>;
}

/** Who acquires it. */
export interface HoldFor {
  readonly site: Site;
  readonly shared?: SharedRun;
  /** Reports a problem that does not stop the run, as a sentence. */
  onProblem(problem: string): void;
}

/** What a run holds that another process carries out, by its recorded input. */
export function takenBy({ hold, workspace }: RunPlan, input: JsonValue): TakenHold | undefined {
  if (hold?.type !== 'conversation' || !isJsonObject(input)) return undefined;
  const { type, sessionId } = hold;
  const base = localPath(workspace, String(input['base'] ?? hold.folder));
  return { type, sessionId, folder: localPath(workspace, hold.folder), base };
}

/** What was acquired, to show it. */
export interface TakenHold {
  readonly type: 'conversation';
  readonly sessionId: string;
  /** Absolute paths of the workspace of the conversation and of its files. */
  readonly folder: string;
  readonly base: string;
  /** The conversation that already uses the workspace's own folders, if the new one does not. */
  readonly first?: string;
}
