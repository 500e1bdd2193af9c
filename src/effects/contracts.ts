/**
 * The closed list of effects: what a program may ask of the world. JSON in, JSON out; each is implemented by the file of its
 * name in this folder. Programs import only these types from here.
 */
import type { PlainReading } from '../agents/plain.ts';
import type { Durable } from '../engine/durable.ts';
import type { AgentName, Denied, TokenUsage } from '../model/agent.ts';
import type { AgentTools } from '../model/agent-tools.ts';
import type { AskRule } from '../model/ask-rule.ts';
import type { EffectName } from '../model/effect.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Note } from '../model/note.ts';
import type { EffectOutput, OutputLog, WorkOutput } from '../model/record.ts';
import type { SandboxChoice } from '../model/sandbox.ts';
import type { ChangePhasesInput, ChangePhasesOutput } from './change-phases.ts';
import type {
  AppendLineInput,
  FileSite,
  ReadFileInput,
  ReadFileOutput,
  UpdateDocumentInput,
  UpdateDocumentOutput,
  WriteFileInput,
} from './file-contracts.ts';
import type {
  CommitChangesInput,
  CommitChangesOutput,
  CommitWorktreeInput,
  CommitWorktreeOutput,
  DiscardWorktreeInput,
  MergeWorktreeInput,
  MergeWorktreeOutput,
  Neighbours,
  OpenWorktreeInput,
  OpenWorktreeOutput,
  SnapshotTreeInput,
  SnapshotTreeOutput,
  SwitchBranchInput,
} from './git-contracts.ts';
import type { RunFunctionInput } from './run-function.ts';
import type {
  AddTasksInput,
  ReadTasksInput,
  ReadTasksOutput,
  RefreshSessionInput,
  WatchTasksInput,
} from './session-contracts.ts';
import type { RunToolInput, RunToolOutput } from './tool-contracts.ts';

export type {
  AppendLineInput,
  DocumentChange,
  FileSite,
  ReadFileInput,
  ReadFileOutput,
  UpdateDocumentInput,
  UpdateDocumentOutput,
  WriteFileInput,
} from './file-contracts.ts';
export type {
  ChangedFile,
  CommitChangesInput,
  CommitChangesOutput,
  CommitWords,
  CommitWorktreeInput,
  CommitWorktreeOutput,
  DiscardWorktreeInput,
  MergeWorktreeInput,
  MergeWorktreeOutput,
  Neighbours,
  OpenWorktreeInput,
  OpenWorktreeOutput,
  SnapshotTreeInput,
  SnapshotTreeOutput,
  SwitchBranchInput,
  WorktreeInput,
} from './git-contracts.ts';

export type {
  AddTasksInput,
  ReadTasksInput,
  ReadTasksOutput,
  RefreshSessionInput,
  StandingTask,
  WatchTasksInput,
} from './session-contracts.ts';

export type { RunToolInput, RunToolOutput, ToolAction } from './tool-contracts.ts';

export type EffectMap = OfEveryEffect<{
  'run-command': { readonly input: RunCommandInput; readonly output: WorkOutput };
  'run-agent': { readonly input: RunAgentInput; readonly output: RunAgentOutput };
  'run-tool': { readonly input: RunToolInput; readonly output: RunToolOutput };
  'run-function': { readonly input: RunFunctionInput; readonly output: WorkOutput };
  'wait-for-files': { readonly input: WaitForFilesInput; readonly output: WorkOutput };
  'find-files': { readonly input: FindFilesInput; readonly output: FindFilesOutput };
  'stamp-files': { readonly input: StampFilesInput; readonly output: StampFilesOutput };
  'check-proof': { readonly input: CheckProofInput; readonly output: CheckProofOutput };
  'move-file': { readonly input: MoveFileInput; readonly output: MoveFileOutput };
  'read-file': { readonly input: ReadFileInput; readonly output: ReadFileOutput };
  'write-file': { readonly input: WriteFileInput; readonly output: EffectOutput };
  'append-line': { readonly input: AppendLineInput; readonly output: EffectOutput };
  'update-document': { readonly input: UpdateDocumentInput; readonly output: UpdateDocumentOutput };
  'digest-tree': { readonly input: DigestTreeInput; readonly output: DigestTreeOutput };
  'empty-folder': { readonly input: EmptyFolderInput; readonly output: EffectOutput };
  'archive-folder': { readonly input: ArchiveFolderInput; readonly output: ArchiveFolderOutput };
  'read-cache': { readonly input: ReadCacheInput; readonly output: ReadCacheOutput };
  'write-cache': { readonly input: WriteCacheInput; readonly output: EffectOutput };
  remember: { readonly input: RememberInput; readonly output: RememberOutput };
  'add-tasks': { readonly input: AddTasksInput; readonly output: EffectOutput };
  'read-tasks': { readonly input: ReadTasksInput; readonly output: ReadTasksOutput };
  'watch-tasks': { readonly input: WatchTasksInput; readonly output: EffectOutput };
  'refresh-session': { readonly input: RefreshSessionInput; readonly output: EffectOutput };
  'snapshot-tree': { readonly input: SnapshotTreeInput; readonly output: SnapshotTreeOutput };
  'commit-changes': { readonly input: CommitChangesInput; readonly output: CommitChangesOutput };
  'switch-branch': { readonly input: SwitchBranchInput; readonly output: EffectOutput };
  'open-worktree': { readonly input: OpenWorktreeInput; readonly output: OpenWorktreeOutput };
  'commit-worktree': { readonly input: CommitWorktreeInput; readonly output: CommitWorktreeOutput };
  'merge-worktree': { readonly input: MergeWorktreeInput; readonly output: MergeWorktreeOutput };
  'discard-worktree': { readonly input: DiscardWorktreeInput; readonly output: EffectOutput };
  'change-phases': { readonly input: ChangePhasesInput; readonly output: ChangePhasesOutput };
  note: { readonly input: Note; readonly output: EffectOutput & { readonly note: Note } };
}>;

/** Exactly those that `model/effect.ts` lists. */
type OfEveryEffect<
  Contracts extends { readonly [name in EffectName]: unknown } & {
    readonly [name in Exclude<keyof Contracts, EffectName>]: never;
  },
> = Contracts;

export type OrchestrateDurable = Durable<EffectMap>;

/** The input of every started process. Paths are relative to the workspace. */
export interface ProcessInput extends FileSite {
  /** Folder it runs in, relative to the workspace or `root`; default: that itself. */
  readonly cwd?: string;
  /** Added to the environment, as written. */
  readonly env?: { readonly [name: string]: string };
  /** Names of environment variables whose values are masked wherever output is saved or shown. */
  readonly secrets?: readonly string[];
  /** What it may touch; default: everything its user may. */
  readonly sandbox?: SandboxChoice;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly capture: 'text' | 'lines' | 'json';
  /** With capture `json`: keep text that does not parse, and succeed. */
  readonly allowParseError?: boolean;
  /** Receives the whole stdout (for an agent: the final answer). */
  readonly outputFile?: string;
}

export interface RunCommandInput extends ProcessInput {
  readonly argv: readonly string[];
  /** Workspace-relative file used as standard input; default: none. */
  readonly stdinFile?: string;
  /** Exit codes that are not failures; default: only 0. */
  readonly successCodes?: readonly number[] | 'any';
}

export interface RunAgentInput extends ProcessInput {
  readonly agent: AgentChoice;
  readonly prompt: readonly PromptPart[];
  readonly inject?: Injection;
  readonly model?: string;
  readonly systemPrompt?: PlacedText;
  /** The schema of the answer; passed to the CLI if it has an option for it, and checked in any case. */
  readonly jsonSchema?: JsonObject;
  /** An answer that does not match the schema is not a failure: the caller reads it as it is. */
  readonly schemaIsWish?: boolean;
  readonly session?: { readonly type: 'continue' | 'fork'; readonly sessionId: string };
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** `bypass`: the CLI's own switch for running unattended without permission prompts. */
  readonly permissions?: 'default' | 'bypass';
  /** Relative to the workspace: folders outside its working directory that it treats like it, if its CLI has an option for that. */
  readonly folders?: readonly string[];
  /** A refused tool does not fail an agent that finished: the caller checks for proof of the work, and reports it otherwise. */
  readonly toleratesDenial?: boolean;
  /** The command that repeats the call with all permissions, for the message of a denial. Default: keys of the workflow's step. */
  readonly permit?: string;
  /** The agent's own tools are off, as far as its CLI allows: trying one is not a failure. */
  readonly toolsOff?: boolean;
  /** Which tools it may use; refused if its CLI has no option for it. */
  readonly tools?: AgentTools;
  /** Rules for its tool calls; refused if its CLI cannot stop at a call. */
  readonly ask?: readonly AskRule[];
  /** How long an agent may take to exit after its result; default: 60 s. */
  readonly hungAfterResultMs?: number;
  /**
   * Continues the conversation of an earlier attempt of this step that was interrupted (killed, limit, overload), if
   * the agent can; default: true.
   */
  readonly continueInterrupted?: boolean;
}

export type AgentChoice =
  /** A known CLI: structured stream, cost, session, truthful outcome. `command` replaces the binary and its first arguments. */
  | {
      readonly type: 'builtin';
      readonly adapter: AgentName;
      readonly command?: readonly string[];
      readonly extraArgs?: readonly string[];
      /** For the mock agent: what it does and answers. */
      readonly script?: JsonValue;
    }
  /** A user's template, run exactly as written; stdout is the output. */
  | {
      readonly type: 'template';
      readonly name: string;
      readonly adapter: Exclude<AgentName, 'mock'> | 'plain';
      readonly argv: readonly TemplateArgument[];
      readonly inputMode: 'argv' | 'stdin';
      /** For `plain`: where the answer is, and the meaning of exit codes. */
      readonly reading?: PlainReading;
    };

/** A literal argument, or pieces of text with the prompt between them. */
export type TemplateArgument = string | { readonly promptBetween: readonly string[] };

export type PromptPart =
  | PlacedPart
  /** Read when the agent starts, passed on literally. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** The folder that `path` is relative to, itself relative to the workspace; default: that. */
      readonly root?: string;
      /** Used if the file does not exist; without it that is a failure. */
      readonly ifMissing?: string;
    }
  /** The complete output of a step, read from its log when the agent starts. */
  | { readonly type: 'log'; readonly name: string; readonly as: 'output' | 'lines'; readonly log: OutputLog };

export type PlacedPart =
  | { readonly type: 'text'; readonly text: string }
  /** The absolute path of this file or folder of the workspace, on the machine that the agent runs on. */
  | { readonly type: 'place'; readonly path: string };

/** Text that may name places of the workspace. */
export type PlacedText = string | readonly PlacedPart[];

/** Files inserted before or after the prompt. */
export interface Injection {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly mode: 'list' | 'content';
  readonly position: 'prepend' | 'append';
  readonly instruction?: string;
}

export interface RunAgentOutput extends WorkOutput {
  /** The whole final answer; `output` has its first 8 KiB. Omitted if it exceeds 1 MiB: then it is only in the files. */
  readonly answer?: string;
  readonly structured?: JsonValue;
  readonly model?: string;
  readonly turns?: number;
  readonly usage?: TokenUsage;
  /** Relative to the run's folder. */
  readonly promptFile?: string;
  readonly responseFile?: string;
  /** What was refused, if that is tolerated. */
  readonly denied?: Denied;
}

export interface WaitForFilesInput {
  readonly glob: string;
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly minCount: number;
  /** ISO 8601: when the wait started. It ends `timeoutMs` later also if it is restarted (`StepOptions.since`). */
  readonly startedAt: string;
}

export interface FindFilesInput {
  readonly patterns: readonly string[];
}

export interface FindFilesOutput extends EffectOutput {
  /** In the order of the patterns; workspace-relative, sorted byte-wise, without links that leave the workspace. */
  readonly matches: readonly (readonly string[])[];
}

export interface StampFilesInput {
  readonly paths: readonly string[];
  /** Waits until a later change of each can be told from its last. */
  readonly settle?: true;
}

export interface StampFilesOutput extends EffectOutput {
  /** In the order of the paths; null if the file does not exist or cannot be read. */
  readonly stamps: readonly (string | null)[];
}

export interface CheckProofInput {
  readonly files: readonly string[];
  readonly jsonSchema?: JsonObject;
  /** A workspace-relative file with the schema. */
  readonly schemaFile?: string;
  /** What the schema is checked against. */
  readonly subject?: /** `isCut`: only its start was kept. */
    | { readonly type: 'value'; readonly text: string; readonly isCut?: boolean }
    | { readonly type: 'file'; readonly path: string };
  readonly commands: readonly (readonly string[])[];
  /** Workspace-relative folder the commands run in; default: the workspace. */
  readonly cwd?: string;
  /** The commands run what the step wrote, so they may touch no more than it. */
  readonly sandbox?: SandboxChoice;
  readonly timeoutMs?: number;
}

export interface CheckProofOutput extends EffectOutput {
  /** Empty if proven. */
  readonly reasons: readonly string[];
  readonly files: readonly string[];
  /** The value that was checked against the schema. */
  readonly json?: JsonValue;
}

export interface MoveFileInput {
  readonly from: string;
  /** A folder, created if it is missing. A file of the same name in it is never overwritten. */
  readonly toFolder: string;
}

export interface MoveFileOutput extends EffectOutput {
  readonly to?: string;
}

export interface DigestTreeInput {
  /** Folders to ignore, relative to the workspace. */
  readonly except: readonly string[];
  readonly neighbours?: Neighbours;
}

export interface DigestTreeOutput extends EffectOutput {
  /** If two digests differ, files of the workspace changed in between. Omitted if unknown. */
  readonly digest?: string;
  /** How it was determined: by version control, or by scanning every file. */
  readonly by?: 'git' | 'scan';
  /** There were more files than are scanned. */
  readonly partial?: boolean;
  /** Others are at work in the same tree, so a change may be theirs. */
  readonly isShared?: boolean;
}

export interface EmptyFolderInput {
  /** Workspace-relative, not a link; the folder itself stays. */
  readonly folder: string;
}

export interface ArchiveFolderInput {
  /** Workspace-relative. */
  readonly folder: string;
  /** Zip file, workspace-relative or, outside the workspace, absolute without links; default: in the run's own folder. */
  readonly to?: string;
}

export interface ArchiveFolderOutput extends EffectOutput {
  /** Absolute. */
  readonly archive?: string;
  readonly files: number;
}

export interface ReadCacheInput {
  /** What the result depends on besides the files: command or prompt, parameters, `cache.key`. */
  readonly basis: JsonValue;
  readonly inputs: readonly string[];
  readonly promptFiles: readonly string[];
  /** Outputs of steps that the prompt contains. */
  readonly promptLogs?: readonly OutputLog[];
}

export interface ReadCacheOutput extends EffectOutput {
  readonly digest: string;
  /** The earlier result; its outputs have been restored. */
  readonly hit?: { readonly runId: string; readonly output: WorkOutput };
}

export interface WriteCacheInput {
  readonly digest: string;
  readonly output: WorkOutput;
  /** Workspace-relative files saved with it. */
  readonly files: readonly string[];
}

/** A value that only chance decided, such as which of two branches ended first. */
export interface RememberInput {
  readonly value: JsonValue;
}

export interface RememberOutput extends EffectOutput {
  readonly value: JsonValue;
}
