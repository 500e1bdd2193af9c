/**
 * A workflow as the interpreter runs it: checked, with defaults filled in and called workflows included, as plain JSON. Strings that may
 * contain `${…}` are kept as written (`Text`) and rendered when their step runs.
 */
import type { RetryPolicy } from '../engine/retry.ts';
import type { AgentName, ExitCodeOutcome } from '../model/agent.ts';
import type { AgentTools } from '../model/agent-tools.ts';
import type { AskRule } from '../model/ask-rule.ts';
import type { Field } from '../model/field.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { SandboxWish } from '../model/sandbox.ts';
import type { Budget } from '../steps/ledger.ts';

/** May contain `${…}`. */
export type Text = string;

export interface WorkflowDefinition {
  readonly name: string;
  readonly description?: string;
  /** Workspace-relative. */
  readonly file: string;
  readonly strictFlow: boolean;
  /** With the defaults of inputs. */
  readonly context: JsonObject;
  /** What may be given from outside; omitted if the file does not declare it. */
  readonly inputs?: readonly Field[];
  readonly providers: { readonly [name: string]: ProviderDefinition };
  readonly queue: QueueFolders;
  readonly budget?: Budget;
  readonly schedule?: readonly ScheduleEntry[];
  /** `never`: a run that died is not resumed by itself. */
  readonly keep?: 'always' | 'never';
  /** Its file has `notify`. The addresses are read from the file: they may hold credentials, and a run records its definition. */
  readonly notifies?: true;
  readonly steps: readonly Step[];
  readonly finally: readonly Step[];
  /** Outputs returned to a caller: name → text. */
  readonly outputs?: { readonly [name: string]: Text };
}

export interface ScheduleEntry {
  readonly cron: string;
  readonly timezone?: string;
  readonly context: JsonObject;
  readonly overlap: 'skip' | 'queue' | 'cancel';
  readonly catchUp: 'none' | 'once';
}

export interface QueueFolders {
  readonly inboxDir: string;
  readonly processedDir: string;
  readonly failedDir: string;
  readonly taskExtension: string;
}

export interface ProviderDefinition {
  readonly adapter: AgentName | 'plain';
  /** The user's argv; if omitted, a built-in adapter uses its own. */
  readonly command?: readonly Text[];
  readonly inputMode: 'argv' | 'stdin';
  readonly defaults: { readonly [parameter: string]: JsonValue };
  readonly fallback: readonly string[];
  readonly timeoutMs?: number;
  /** For `mock`: what it does and answers. */
  readonly script?: JsonValue;
  /** For `plain`: where the answer is (`text`, `last-line`, `json:<path>`) and what exit codes mean. */
  readonly result?: string;
  readonly exitCodes?: { readonly [code: string]: ExitCodeOutcome };
  /** For steps that say nothing about the same; with `defaults`. */
  readonly tools?: AgentTools;
  readonly ask?: readonly AskRule[];
  readonly sandbox?: SandboxWish;
  readonly worker?: string;
}

export type Step = StepCommon & StepKind;

export type StepKind =
  | { readonly type: 'command'; readonly command: readonly Text[] }
  | ProviderStep
  | WaitStep
  | ForEachStep
  | ParallelStep
  | GraphStep
  | RepeatStep
  | CallStep
  | ProgramStep
  | ApproveStep
  | BreakStep
  | EndStep;

export interface StepCommon {
  readonly name: string;
  readonly description?: string;
  /** A display name, also of the folder whose status file lists the step's outputs. */
  readonly agent?: string;
  readonly inputFile?: Text;
  readonly outputFile?: Text;
  /** The folder its process runs in; files of the step are still relative to the workspace. */
  readonly workingDir?: Text;
  /** What it may touch; key by key, what it does not say is left to its provider. */
  readonly sandbox?: SandboxWish;
  readonly capture: 'text' | 'lines' | 'json';
  readonly allowParseError: boolean;
  /** Results read from files after a success. */
  readonly values?: { readonly [name: string]: ValueSource };
  readonly env?: { readonly [name: string]: string };
  readonly secrets?: readonly string[];
  readonly dependsOn?: FileDependencies;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** The label of the workers that can run it. */
  readonly worker?: string;
  /** Default: that of the step's kind. */
  readonly retry?: RetryPolicy;
  readonly when?: Condition;
  readonly on: { readonly success?: string; readonly failure?: string; readonly always?: string };
  readonly cache?: { readonly inputs: readonly Text[]; readonly key: readonly Text[] };
  readonly expect?: Expectation;
  readonly maxVisits: number;
  /** A failure counts as success for what follows. */
  readonly allowFailure?: true;
  /** It works in its own worktree; of a loop, `parallel` or `graph`: each item, branch or step. */
  readonly isolate?: Isolation;
}

export interface Isolation {
  /** Each is one commit; without it, only files are changed. */
  readonly commit?: { readonly message?: Text; readonly author?: string };
  /** Patterns of ignored files that it also gets. */
  readonly include: readonly string[];
  /** Run once in the new folder. */
  readonly setup?: readonly string[];
  /** Merged only after a person has accepted it. */
  readonly review: boolean;
}

export interface ValueSource {
  readonly file: Text;
  readonly type: 'string' | 'number' | 'boolean' | 'json' | 'lines';
  /** The step must have written the file itself. */
  readonly fresh: boolean;
}

export interface ProviderStep {
  readonly type: 'provider';
  readonly provider: string;
  readonly params: { readonly [parameter: string]: JsonValue };
  /** The prompt itself, instead of `inputFile`. */
  readonly prompt?: Text;
  /** Replaces the provider's template entirely. */
  readonly commandOverride?: readonly Text[];
  /** Continues the conversation of an earlier step. */
  readonly continueFrom?: string;
  readonly forkFrom?: string;
  readonly systemPrompt?: Text;
  readonly permissions?: 'default' | 'bypass';
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly tools?: AgentTools;
  readonly ask?: readonly AskRule[];
}

export interface WaitStep {
  readonly type: 'wait';
  readonly glob: Text;
  readonly timeoutMs: number;
  readonly pollMs: number;
  readonly minCount: number;
}

export interface ForEachStep {
  readonly type: 'for-each';
  readonly items:
    | { readonly type: 'pointer'; readonly pointer: string }
    /** A list, or one variable that names a list. */
    | { readonly type: 'list'; readonly list: readonly JsonValue[] | Text }
    /** Every combination; the first list varies slowest. */
    | { readonly type: 'matrix'; readonly lists: { readonly [name: string]: readonly JsonValue[] | Text } };
  readonly as: string;
  readonly maxParallel: number;
  readonly steps: readonly Step[];
  readonly onItemComplete?: { readonly success?: Text; readonly failure?: Text };
  readonly onItemFailure: 'stop' | 'continue';
}

export interface ParallelStep {
  readonly type: 'parallel';
  readonly maxParallel: number;
  /** Default: `all`. */
  readonly join?: Exclude<Join, 'all'>;
  readonly branches: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

/** How the ends of branches make up the end of their step. */
export type Join = 'all' | 'any' | 'all_done';

export interface GraphStep {
  readonly type: 'graph';
  readonly maxParallel: number;
  /** Default: `all`. */
  readonly join?: Exclude<Join, 'all'>;
  readonly nodes: readonly GraphNode[];
}

export interface GraphNode {
  /** Names of other steps of the graph. */
  readonly needs: readonly string[];
  readonly step: Step;
}

export interface RepeatStep {
  readonly type: 'repeat';
  readonly steps: readonly Step[];
  readonly until: Condition;
  readonly maxIterations: number;
  readonly delayMs: number;
  readonly onExhausted: 'fail' | 'continue';
}

export interface CallStep {
  readonly type: 'call';
  readonly workflow: WorkflowDefinition;
  /** Replaces values of the called workflow's own context. */
  readonly context: { readonly [key: string]: JsonValue };
  /** A second name under which `${steps.<as>.…}` finds this step. */
  readonly as?: string;
}

/** Calls a workflow in code. */
export interface ProgramStep {
  readonly type: 'program';
  /** Workspace-relative. */
  readonly program: string;
  readonly input: { readonly [key: string]: JsonValue };
  /** As in `CallStep`. */
  readonly as?: string;
}

export interface BreakStep {
  readonly type: 'break';
  readonly breakWhen?: Condition;
}

export interface EndStep {
  readonly type: 'end';
  readonly status: 'completed' | 'failed';
  readonly message?: Text;
}

export interface ApproveStep {
  readonly type: 'approve';
  readonly message: Text;
  /** Empty if only `fields` are asked for. */
  readonly choices: readonly string[];
  readonly fields?: readonly Field[];
  readonly timeoutMs?: number;
  readonly default?: string;
  /** What the isolated work around it has changed. */
  readonly show?: 'diff';
}

export interface FileDependencies {
  readonly required: readonly Text[];
  readonly optional: readonly Text[];
  readonly inject?: {
    readonly mode: 'list' | 'content';
    readonly position: 'prepend' | 'append';
    readonly instruction?: string;
  };
}

export interface Expectation {
  readonly files: readonly Text[];
  readonly jsonSchema?:
    | { readonly type: 'inline'; readonly schema: JsonObject }
    | { readonly type: 'file'; readonly path: Text };
  readonly command?: readonly Text[];
  /** How often an agent is asked again, with the reasons. */
  readonly reask: number;
}

export interface Comparison {
  readonly type:
    | 'equals'
    | 'not-equals'
    | 'greater-than'
    | 'less-than'
    | 'at-least'
    | 'at-most'
    | 'contains'
    | 'matches';
  readonly left: Text;
  readonly right: Text;
}

export type Condition =
  | Comparison
  /** One variable. */
  | { readonly type: 'defined'; readonly variable: Text }
  | { readonly type: 'exists'; readonly glob: Text }
  | { readonly type: 'not-exists'; readonly glob: Text }
  | { readonly type: 'all'; readonly conditions: readonly Condition[] }
  | { readonly type: 'any'; readonly conditions: readonly Condition[] }
  | { readonly type: 'not'; readonly condition: Condition };

/** The target of a `goto` that ends the list of steps. */
export const END_TARGET = '_end';

/** The placeholder for the prompt in a provider's command. */
export const PROMPT = 'PROMPT';

/** The default choices of an approval. */
export const DEFAULT_CHOICES: readonly string[] = ['approve', 'reject'];
