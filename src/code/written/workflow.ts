/** Marks what a file exports. Nothing runs here: the program of `orchestrate` reads the mark. */
import type { JsonObject } from '../../model/json.ts';
import type { AgentDeclaration, DoSite } from './calls.ts';
import type { Context } from './context.ts';
import type { JsonOnly } from './json-only.ts';
import type { SchemaInput, SchemaOutput, StandardSchema } from './standard-schema.ts';

/** In the registry of symbols: the file may have loaded another copy of the package. */
export const WORKFLOW = Symbol.for('orchestrate.workflow');
export const EFFECT = Symbol.for('orchestrate.effect');

export interface WorkflowSettings {
  readonly name: string;
  readonly description?: string;
  readonly agents?: { readonly [name: string]: AgentDeclaration };
  /** Nothing more starts once it is used up. */
  readonly budget?: { readonly usd?: number; readonly tokens?: number; readonly minutes?: number };
  /** Names of environment variables that hold secrets, besides those that calls name. */
  readonly secrets?: readonly string[];
  /** `never`: a run that lost its process is not resumed by itself. */
  readonly keep?: 'always' | 'never';
  /** When `orchestrate keep` and `serve` start it, if its file is in `workflows/` or named to them. */
  readonly schedule?: readonly ScheduledStart[];
}

export interface ScheduledStart {
  /** Minute, hour, day, month, weekday; with six fields, seconds come first. */
  readonly cron: string;
  /** Like `Europe/Berlin`. Default: that of the machine. */
  readonly timezone?: string;
  /** The input of these runs. */
  readonly input?: JsonObject;
  /** If the last run has not ended: start none (the default), start one when it has ended, or cancel it. */
  readonly overlap?: 'skip' | 'queue' | 'cancel';
  /** Whether starts that were missed are made up for by one. Default: `none`. */
  readonly catchUp?: 'none' | 'once';
}

/** `Input`: what callers give. `Output`: what they get. */
export interface Workflow<Input = JsonObject, Output = unknown> extends WorkflowSettings {
  readonly input?: StandardSchema<Input>;
  readonly output?: StandardSchema<unknown, Output>;
  run(ctx: Context, input: never): Promise<unknown>;
  readonly [WORKFLOW]: true;
}

type AnyInput = StandardSchema<JsonObject, JsonObject>;

export function workflow<Value, InputSchema extends StandardSchema = AnyInput>(
  settings: WorkflowSettings & {
    readonly input?: InputSchema;
    readonly output?: undefined;
    run(ctx: Context, input: SchemaOutput<InputSchema>): Promise<JsonOnly<Value>>;
  },
): Workflow<SchemaInput<InputSchema>, Value>;
/** With `output`, the result is checked, and callers get what the schema makes of it. */
export function workflow<OutputSchema extends StandardSchema, InputSchema extends StandardSchema = AnyInput>(
  settings: WorkflowSettings & {
    readonly input?: InputSchema;
    readonly output: OutputSchema;
    run(ctx: Context, input: SchemaOutput<InputSchema>): Promise<SchemaInput<NoInfer<OutputSchema>>>;
  },
): Workflow<SchemaInput<InputSchema>, SchemaOutput<OutputSchema>>;
export function workflow(settings: object): Workflow {
  return Object.freeze({ ...settings, [WORKFLOW]: true }) as unknown as Workflow;
}

/**
 * Something of your own that touches the world, with a name and a place in the views. It runs at least once: a kill between the deed and its
 * record repeats it, with the same `idempotencyKey`.
 */
export interface OwnEffect<Input, Output> {
  readonly name: string;
  readonly input: StandardSchema<Input>;
  readonly output: StandardSchema<unknown, Output>;
  run(input: never, site: DoSite): Promise<unknown>;
  readonly [EFFECT]: true;
}

export function effect<InputSchema extends StandardSchema, OutputSchema extends StandardSchema>(given: {
  /** Kebab-case: `open-pr`. */
  readonly name: string;
  readonly input: InputSchema;
  readonly output: OutputSchema;
  run(input: SchemaOutput<InputSchema>, site: DoSite): Promise<SchemaInput<NoInfer<OutputSchema>>>;
}): OwnEffect<SchemaInput<InputSchema>, SchemaOutput<OutputSchema>> {
  return Object.freeze({ ...given, [EFFECT]: true }) as never;
}

export function isWorkflow(value: unknown): value is Workflow {
  return (
    typeof value === 'object' && value !== null && (value as { [WORKFLOW]?: unknown })[WORKFLOW] === true
  );
}

export function isOwnEffect(value: unknown): value is OwnEffect<unknown, unknown> {
  return typeof value === 'object' && value !== null && (value as { [EFFECT]?: unknown })[EFFECT] === true;
}
