/**
 * The closed list of effects: what a program may ask of the world. JSON in, JSON out; each is implemented by the file of its
 * name in this folder. Programs import these types and nothing else from here.
 */
import type { PlainReading } from '../agents/plain.ts';
import type { Durable } from '../engine/durable.ts';
import type { AgentName, Denied, TokenUsage } from '../model/agent.ts';
import type { EffectName } from '../model/effect.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Note } from '../model/note.ts';
import type { EffectOutput, WorkOutput } from '../model/record.ts';
import type { ChangePhasesInput, ChangePhasesOutput } from './change-phases.ts';
import type { RunToolInput, RunToolOutput } from './tool-contracts.ts';

export type { RunToolInput, RunToolOutput, ToolAction } from './tool-contracts.ts';

export type EffectMap = OfEveryEffect<{
  'run-command': { readonly input: RunCommandInput; readonly output: WorkOutput };
  'run-agent': { readonly input: RunAgentInput; readonly output: RunAgentOutput };
  'run-tool': { readonly input: RunToolInput; readonly output: RunToolOutput };
  'wait-for-files': { readonly input: WaitForFilesInput; readonly output: WorkOutput };
  'find-files': { readonly input: FindFilesInput; readonly output: FindFilesOutput };
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
  'refresh-session': { readonly input: RefreshSessionInput; readonly output: EffectOutput };
  'snapshot-tree': { readonly input: SnapshotTreeInput; readonly output: SnapshotTreeOutput };
  'commit-files': { readonly input: CommitFilesInput; readonly output: CommitFilesOutput };
  'open-worktree': { readonly input: OpenWorktreeInput; readonly output: EffectOutput };
  'merge-worktree': { readonly input: MergeWorktreeInput; readonly output: MergeWorktreeOutput };
  'discard-worktree': { readonly input: DiscardWorktreeInput; readonly output: EffectOutput };
  'change-phases': { readonly input: ChangePhasesInput; readonly output: ChangePhasesOutput };
  note: { readonly input: Note; readonly output: EffectOutput & { readonly note: Note } };
}>;

/** Those that `model/effect.ts` lists, and no others. */
type OfEveryEffect<
  Contracts extends { readonly [name in EffectName]: unknown } & {
    readonly [name in Exclude<keyof Contracts, EffectName>]: never;
  },
> = Contracts;

export type OrchestrateDurable = Durable<EffectMap>;

/** What every started process is told, whoever it is. Paths are relative to the workspace. */
export interface ProcessInput extends FileSite {
  /** Folder it runs in, relative to the workspace or `root`; that itself where absent. */
  readonly cwd?: string;
  /** Added to the environment, as written. */
  readonly env?: { readonly [name: string]: string };
  /** Names of environment variables whose values are masked wherever output is kept or shown. */
  readonly secrets?: readonly string[];
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly capture: 'text' | 'lines' | 'json';
  /** With capture `json`: keep text that does not parse, and succeed. */
  readonly allowParseError?: boolean;
  /** Gets the whole stdout (of an agent: the final answer). */
  readonly outputFile?: string;
}

export interface RunCommandInput extends ProcessInput {
  readonly argv: readonly string[];
  /** Workspace-relative file given as standard input; none where absent. */
  readonly stdinFile?: string;
}

export interface RunAgentInput extends ProcessInput {
  readonly agent: AgentChoice;
  readonly prompt: readonly PromptPart[];
  readonly inject?: Injection;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** The schema of the answer; handed to the CLI where it has an option for it, and checked in any case. */
  readonly jsonSchema?: JsonObject;
  /** An answer that does not match the schema is no failure: who asked reads it as it is. */
  readonly schemaIsWish?: boolean;
  readonly session?: { readonly type: 'continue' | 'fork'; readonly sessionId: string };
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  /** `bypass`: the CLI's own switch for running unattended without permission prompts. */
  readonly permissions?: 'default' | 'bypass';
  /** A refused tool is no failure of an agent that came to its end: who asked looks for proof of the work, and says so otherwise. */
  readonly toleratesDenial?: boolean;
  /** The agent's own tools are off, as far as its CLI can: that it tried one is no failure. */
  readonly toolsOff?: boolean;
  /** How long after its result an agent may take to exit; 60 s where absent. */
  readonly hungAfterResultMs?: number;
  /**
   * Goes on with the conversation of an earlier try of this step that was cut off from outside (killed, limit, overload), where
   * the agent can; true where absent.
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
      /** Of the mock agent: what it does and answers. */
      readonly script?: JsonValue;
    }
  /** A template written out by the user, run exactly as written; stdout is the output. */
  | {
      readonly type: 'template';
      readonly name: string;
      readonly adapter: Exclude<AgentName, 'mock'> | 'plain';
      readonly argv: readonly TemplateArgument[];
      readonly inputMode: 'argv' | 'stdin';
      /** Of `plain`: where the answer is and which exit codes mean what. */
      readonly reading?: PlainReading;
    };

/** A literal argument, or pieces of text with the prompt between them. */
export type TemplateArgument = string | { readonly promptBetween: readonly string[] };

export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  /** Read when the agent is started, passed on literally. */
  | {
      readonly type: 'file';
      readonly path: string;
      /** Absolute folder that `path` is relative to, in place of the workspace. */
      readonly root?: string;
      /** Stands for a file that is not there; without it that is a failure. */
      readonly ifMissing?: string;
    };

/** Files put before or after the prompt. */
export interface Injection {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly mode: 'list' | 'content';
  readonly position: 'prepend' | 'append';
  readonly instruction?: string;
}

export interface RunAgentOutput extends WorkOutput {
  /** The whole final answer; `output` holds its first 8 KiB. Absent where it is larger than 1 MiB: then only in the files. */
  readonly answer?: string;
  readonly structured?: JsonValue;
  readonly model?: string;
  readonly turns?: number;
  readonly usage?: TokenUsage;
  /** Relative to the run's folder. */
  readonly promptFile?: string;
  readonly responseFile?: string;
  /** What was refused, where that is tolerated. */
  readonly denied?: Denied;
}

export interface WaitForFilesInput {
  readonly glob: string;
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly minCount: number;
  /** ISO 8601: when the wait began, so that a restart does not begin it anew. */
  readonly startedAt: string;
}

export interface FindFilesInput {
  readonly patterns: readonly string[];
}

export interface FindFilesOutput extends EffectOutput {
  /** In the order of the patterns; workspace-relative, sorted byte-wise, links that leave the workspace left out. */
  readonly matches: readonly (readonly string[])[];
}

export interface CheckProofInput {
  readonly files: readonly string[];
  readonly jsonSchema?: JsonObject;
  /** A workspace-relative file that holds the schema. */
  readonly schemaFile?: string;
  /** What the schema is checked against. */
  readonly subject?: /** `isCut`: only the beginning of it was kept. */
    | { readonly type: 'value'; readonly text: string; readonly isCut?: boolean }
    | { readonly type: 'file'; readonly path: string };
  readonly commands: readonly (readonly string[])[];
  readonly timeoutMs?: number;
}

export interface CheckProofOutput extends EffectOutput {
  /** Empty: proven. */
  readonly reasons: readonly string[];
  readonly files: readonly string[];
  /** What was checked against the schema. */
  readonly json?: JsonValue;
}

export interface MoveFileInput {
  readonly from: string;
  /** A folder, made where it is missing. A file of the same name in it is never overwritten. */
  readonly toFolder: string;
}

export interface MoveFileOutput extends EffectOutput {
  readonly to?: string;
}

/** Paths are relative to the workspace, or to another folder that the user has named. */
export interface FileSite {
  /** Absolute. */
  readonly root?: string;
}

export interface ReadFileInput extends FileSite {
  readonly path: string;
  /** More than this is cut and said so; 1 MiB where absent. */
  readonly maxBytes?: number;
}

export interface ReadFileOutput extends EffectOutput {
  /** Absent when there is no such file. */
  readonly text?: string;
  readonly truncated?: boolean;
}

export interface WriteFileInput extends FileSite {
  readonly path: string;
  readonly text: string;
  /** 0600 for what may hold prompts or outputs; 0644 where absent. */
  readonly mode?: number;
  /** The record of `store/written-files.ts`, in a folder above the file: where somebody else may have written it, theirs is kept. */
  readonly record?: string;
}

/** One JSON value more at the end of a JSON Lines file. Appending the same line twice is harmless. */
export interface AppendLineInput extends FileSite {
  readonly path: string;
  readonly line: JsonObject;
  /** Members by which a line near the end of the file is known to be the same one. */
  readonly sameBy: readonly string[];
  /** Of a file that is made; 0644 where absent. */
  readonly mode?: number;
}

/** A JSON document that others write too: read, changed and replaced under its lock. Making the same change twice is harmless. */
export interface UpdateDocumentInput extends FileSite {
  readonly path: string;
  readonly changes: readonly DocumentChange[];
  /** What to begin with where there is no document; without it a missing one is a failure. */
  readonly create?: JsonObject;
}

export type DocumentChange =
  | { readonly type: 'set'; readonly at: readonly string[]; readonly value: JsonValue }
  | { readonly type: 'remove'; readonly at: readonly string[] }
  /** Adds to a list, unless an equal element is in it. */
  | { readonly type: 'add'; readonly at: readonly string[]; readonly value: JsonValue };

export interface UpdateDocumentOutput extends EffectOutput {
  /** As it is now. */
  readonly document?: JsonObject;
}

export interface DigestTreeInput {
  /** Absolute folders whose changes do not count. */
  readonly except: readonly string[];
}

export interface DigestTreeOutput extends EffectOutput {
  /** Two that differ: files of the workspace changed in between. Absent where it could not be told. */
  readonly digest?: string;
  /** How it was told: by version control, or by looking at every file. */
  readonly by?: 'git' | 'scan';
  /** There were more files than are looked at. */
  readonly partial?: boolean;
}

export interface EmptyFolderInput {
  /** Workspace-relative, no link; the folder itself stays. */
  readonly folder: string;
}

export interface ArchiveFolderInput {
  /** Workspace-relative. */
  readonly folder: string;
  /** Workspace-relative zip file; in the run's own folder where absent. */
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
}

export interface ReadCacheOutput extends EffectOutput {
  readonly digest: string;
  /** The earlier result; its outputs have been put back. */
  readonly hit?: { readonly runId: string; readonly output: WorkOutput };
}

export interface WriteCacheInput {
  readonly digest: string;
  readonly output: WorkOutput;
  /** Workspace-relative files kept with it. */
  readonly files: readonly string[];
}

/** Something that only chance decided, such as which of two branches ended first. */
export interface RememberInput {
  readonly value: JsonValue;
}

export interface RememberOutput extends EffectOutput {
  readonly value: JsonValue;
}

/** Brings what follows from the tasks of a session in line with them: containers, progress, Markdown. */
export interface RefreshSessionInput {
  readonly session: string;
}

/** New tasks of a session, all or none, and fields of the session's own document that go with them. */
export interface AddTasksInput {
  readonly session: string;
  readonly tasks: readonly JsonObject[];
  readonly about: JsonObject;
}

export interface SnapshotTreeInput {
  /** Workspace-relative. */
  readonly cwd?: string;
  /** An earlier snapshot; without it nothing is compared. */
  readonly since?: string;
  /** Paths, relative to the top of the repository, that do not count. */
  readonly except: readonly string[];
}

export interface ChangedFile {
  /** Relative to `cwd`. */
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

export interface SnapshotTreeOutput extends EffectOutput {
  /** Absent where there is no version control. */
  readonly tree?: string;
  readonly files?: readonly ChangedFile[];
}

export interface CommitFilesInput {
  /** Workspace-relative. */
  readonly cwd?: string;
  readonly message: string;
  /** Relative to `cwd`. */
  readonly files: readonly string[];
}

export interface CommitFilesOutput extends EffectOutput {
  readonly commit?: string;
}

export interface OpenWorktreeInput {
  /** Workspace-relative. */
  readonly folder: string;
  readonly branch: string;
  /** Paths of the workspace that are there as links, unless the checkout has them. */
  readonly linked: readonly string[];
}

export interface DiscardWorktreeInput {
  readonly folder: string;
  readonly branch: string;
}

export interface MergeWorktreeInput extends DiscardWorktreeInput {
  readonly message: string;
  /** Paths that are not committed. */
  readonly except: readonly string[];
}

export interface MergeWorktreeOutput extends EffectOutput {
  readonly commit?: string;
  /** It was not merged: these files conflict. */
  readonly conflicts?: readonly string[];
}
