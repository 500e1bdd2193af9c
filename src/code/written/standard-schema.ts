/**
 * Schemas of any library that follows the Standard Schema convention (zod, valibot, ArkType, …), described structurally: this program needs
 * none of them.
 */
import type { JsonObject } from '../../model/json.ts';

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Libraries that can describe their schemas as JSON Schema. */
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => { readonly [key: string]: unknown };
          readonly output: (options: { readonly target: string }) => { readonly [key: string]: unknown };
        }
      | undefined;
  };
}

export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What goes into the schema. */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];
/** What `validate` makes of it. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

/** A schema for the answer of an agent: its library gives the JSON Schema, or it is written beside it. */
export type AnswerSchema<Output = unknown> =
  | StandardSchema<unknown, Output>
  | { readonly schema: StandardSchema<unknown, Output>; readonly jsonSchema: JsonObject };
