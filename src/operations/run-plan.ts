/** Everything with which a run is begun or resumed, as data: a terminal, a detached child or a worker carries it out. */
import type { CassetteUse } from '../effects/agent/run-agent.ts';
import type { AgentChoice } from '../effects/contracts.ts';
import type { Mode, OutputLevel } from '../iterate/mode.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { RunHold } from './run-hold.ts';

export interface RunPlan {
  readonly runId: RunId;
  readonly workspace: string;
  readonly kind: RunKind;
  readonly title: string;
  readonly begin: Beginning;
  /** Names of environment variables whose values must reach no file. */
  readonly secrets: readonly string[];
  readonly cassette?: CassetteUse;
  /** There are steps that are done at the end whatever happened. */
  readonly tidiesUp?: boolean;
  /** The run is to be ended: nothing but what is done at the end is begun. */
  readonly isCancelled?: boolean;
  readonly hold?: RunHold;
  /** The session that gets new tasks by it, on the user's word: they are trusted afterwards if all that was there is. */
  readonly addsTasksTo?: string;
}

export type RunKind = 'workflow' | 'iterate' | 'session' | 'converse' | 'phases';

export type Beginning =
  | {
      readonly type: 'new';
      readonly program: string;
      readonly input: JsonValue;
      readonly facts: JsonObject;
      /** Records taken over from another run: the part that a fork shares with it. */
      readonly shared?: readonly JournalEvent[];
    }
  | {
      readonly type: 'resume';
      /** An accepted change of the run's definition. */
      readonly change?: { readonly input: JsonValue; readonly facts: JsonObject };
    }
  /** Its end is recorded. Its process may have been killed before its views said so and its lock was gone: that is made up for. */
  | { readonly type: 'tidy' };

/** A plan, and what whoever carries it out may tell. */
export interface Prepared {
  readonly plan: RunPlan;
  /** What the run had recorded before. */
  readonly history?: readonly JournalEvent[];
  /** Of the file it comes from. */
  readonly warnings?: readonly Diagnostic[];
  /** Other things to know before it begins. */
  readonly notes?: readonly string[];
  /** Of a loop: how it is watched. */
  readonly loop?: LoopOutlook;
}

export interface LoopOutlook {
  readonly name: string;
  readonly folder: string;
  readonly mode: Mode;
  readonly maxIterations: number;
  readonly stagnationThreshold: number;
  /** How much is said, by the settings. */
  readonly level: OutputLevel;
  readonly colors: boolean;
  readonly agent: {
    readonly name: string;
    readonly command: readonly string[];
    readonly choice: AgentChoice;
  };
  readonly isDry: boolean;
  readonly skipsPermissions: boolean;
}
