/** Everything needed to start or resume a run, as data: a terminal, a detached child or a worker carries it out. */
import type { CassetteUse } from '../effects/agent/run-agent.ts';
import type { AgentChoice } from '../effects/contracts.ts';
import type { RunHistory } from '../engine/run-history.ts';
import type { Mode, OutputLevel } from '../iterate/mode.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { NotifyChannel } from '../model/notify.ts';
import type { RunHold } from './run-hold.ts';

export interface RunPlan {
  readonly runId: RunId;
  readonly workspace: string;
  readonly kind: RunKind;
  readonly title: string;
  readonly begin: Beginning;
  /** Environment variables whose values must not be written to any file. */
  readonly secrets: readonly string[];
  readonly cassette?: CassetteUse;
  /** The workflow has `finally` steps. */
  readonly tidiesUp?: boolean;
  /** The run was cancelled: only `finally` steps are started. */
  readonly isCancelled?: boolean;
  readonly hold?: RunHold;
  readonly documents?: RunDocuments;
  /** Patterns of files that git ignores and its steps name: other machines get them too. */
  readonly alsoFiles?: readonly string[];
  /** The option that only the machine with the user's own checkout can carry out. */
  readonly onlyHere?: string;
  /** Its journal is in the database of the workers, which alone may carry it out. */
  readonly onWorkers?: true;
  /** From the file of the workflow: never recorded, since addresses may hold credentials. */
  readonly notify?: readonly NotifyChannel[];
  /** The file they are from, relative to the workspace: a process that gets the plan from a record reads them there. */
  readonly notifyFile?: string;
  /** The session that the user asked to add tasks to: they are trusted afterwards if all existing tasks are. */
  readonly addsTasksTo?: string;
}

/** Files of the workspace that belong to the program: other machines get them although git ignores them. Patterns are relative to the workspace. */
export interface RunDocuments {
  /** The folder that one run at a time uses, relative to the workspace; absolute only outside it. */
  readonly folder: string;
  readonly files: readonly string[];
  /** What belongs to one machine: locks. */
  readonly except: readonly string[];
}

export type RunKind = 'workflow' | 'iterate' | 'session' | 'converse' | 'phases';

export type Beginning =
  | {
      readonly type: 'new';
      readonly program: string;
      readonly input: JsonValue;
      readonly facts: JsonObject;
      /** Records copied from another run: the steps that a fork reuses. */
      readonly shared?: readonly JournalEvent[];
    }
  | {
      readonly type: 'resume';
      /** A change of the workflow that the user accepted. */
      readonly change?: { readonly input: JsonValue; readonly facts: JsonObject };
      /** Calls to repeat, in addition to those that failed. */
      readonly again?: readonly StepKey[];
    }
  /** The run has ended, but its process may have been killed before it updated the views and removed the lock: finish that. */
  | { readonly type: 'tidy' }
  /** Only sends notifications that a kill interrupted. */
  | { readonly type: 'notify' };

/** A plan, and what to show while carrying it out. */
export interface Prepared {
  readonly plan: RunPlan;
  /** For a run that is resumed: its journal as it was read, so that carrying out the plan does not read it again. */
  readonly history?: RunHistory;
  /** Events recorded before, to show what they add up to. */
  readonly earlier?: readonly JournalEvent[];
  /** Warnings about the workflow file. */
  readonly warnings?: readonly Diagnostic[];
  /** Notes to print before the run starts. */
  readonly notes?: readonly string[];
  /** For a loop: how it is shown. */
  readonly loop?: LoopOutlook;
}

export interface LoopOutlook {
  readonly name: string;
  readonly folder: string;
  readonly mode: Mode;
  readonly maxIterations: number;
  readonly stagnationThreshold: number;
  /** Output level from the settings. */
  readonly level: OutputLevel;
  readonly colors: boolean;
  readonly agent: {
    readonly name: string;
    readonly command: readonly string[];
    readonly choice: AgentChoice;
  };
  readonly isDry: boolean;
  readonly permissions: AgentPermissions;
  /** The command that starts it again: with its options if that is a new run, without if this one is resumed. */
  readonly again: { readonly asNew: string; readonly toResume: string; readonly runId: RunId };
}

/**
 * Whether the agent may do everything, what the user set for it, or only what its own settings allow; `asked`: a person is asked about some
 * tool calls, and the others are left to its own settings.
 */
export type AgentPermissions = 'all' | 'set' | 'asked' | 'own-settings';
