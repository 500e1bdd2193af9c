/**
 * What a workflow in code may do: named calls, all of them recorded.
 *
 * C1 Names are keys. A name used again in the same scope is its next visit: `Name#2`.
 * C2 A scope is a sequence: a call while another is open is refused. `each` and `all` give every branch a scope of its own.
 * C3 A failure is a `StepFailed`; `allowFailure` answers instead.
 * C4 A stop is not an exception: if the run waits or is interrupted, the open call never settles, and no `catch` or `finally` runs. A
 *    cancellation rejects with `Cancelled`; calls made after it are clean-up.
 * C5 Bodies and functions run in the process of the run; only what they return is recorded, as JSON.
 * C6 A replay makes the same calls with the same inputs. It is compared, and a difference is reported, never guessed around.
 */
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type {
  AgentOptions,
  AgentResult,
  ApprovalQuestion,
  Capture,
  CommandOptions,
  CommandResult,
  DoOptions,
  DoSite,
  Duration,
  EachOptions,
  FilesOptions,
  RunFacts,
} from './calls.ts';
import type { JsonOnly } from './json-only.ts';
import type { OwnEffect, Workflow } from './workflow.ts';

export interface Context {
  /** Runs a program, without a shell. */
  command<const Kind extends Capture = 'text'>(
    name: string,
    argv: readonly [string, ...string[]] | readonly string[],
    options?: CommandOptions<Kind>,
  ): Promise<CommandResult<Kind>>;

  agent<Data = undefined>(name: string, options: AgentOptions<Data>): Promise<AgentResult<Data>>;

  /** Runs a function, or an effect of your own with its input. */
  do<Value>(
    name: string,
    body: (site: DoSite) => JsonOnly<Value> | Promise<JsonOnly<Value>>,
    options?: DoOptions,
  ): Promise<Value>;
  do<Input, Output>(
    name: string,
    effect: OwnEffect<Input, Output>,
    input: NoInfer<Input>,
    options?: DoOptions,
  ): Promise<Output>;

  /** Calls the body for every item; the results are in the order of the items. */
  each<Item, Value>(
    name: string,
    items: Iterable<Item>,
    body: (ctx: Context, item: Item, index: number) => Promise<Value>,
    options?: EachOptions,
  ): Promise<Value[]>;

  /** Runs the branches at the same time. */
  all<Branches extends { readonly [name: string]: (ctx: Context) => Promise<unknown> }>(
    name: string,
    branches: Branches,
    options?: EachOptions,
  ): Promise<{ [Name in keyof Branches]: Awaited<ReturnType<Branches[Name]>> }>;

  /** Waits for a person. The run may stop meanwhile, with status `waiting`. */
  approve<const Choice extends string>(name: string, question: ApprovalQuestion<Choice>): Promise<Choice>;

  /** Waits for files; workspace-relative, sorted. */
  files(name: string, glob: string, options?: FilesOptions): Promise<readonly string[]>;

  sleep(name: string, duration: Duration): Promise<void>;
  /** ISO 8601; the same in every replay. */
  now(name: string): Promise<string>;
  uuid(name: string): Promise<string>;

  /** Changes members of a JSON document under its lock, and answers the document. `undefined` removes a member. */
  document(
    name: string,
    path: string,
    changes: { readonly [member: string]: JsonValue | undefined },
  ): Promise<JsonObject>;
  /** The text of a file; undefined if there is none. */
  read(name: string, path: string): Promise<string | undefined>;
  write(name: string, path: string, text: string): Promise<void>;

  /** Runs another workflow as part of this run. A file ending in `.yaml` answers its `outputs`. */
  call<Input, Output>(
    name: string,
    workflow: Workflow<Input, Output>,
    input: NoInfer<Input>,
  ): Promise<Output>;
  call(name: string, file: string, given?: { readonly context?: JsonObject }): Promise<JsonObject>;

  /** The newest number of a changed part at the first asking: the same one in every later replay of this run. */
  version(name: string, newest: number): Promise<number>;

  /** Says why the program took this path; `show` and `explain` tell it. */
  log(message: string): void;

  readonly run: RunFacts;
}
