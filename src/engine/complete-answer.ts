import type { Answer } from '../model/event.ts';
import { type Field, readFields } from '../model/field.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';

/** What is asked, in the form that events and state have in common. */
export interface Asked {
  readonly choices: readonly string[];
  readonly default?: string;
  readonly fields?: readonly Field[];
}

export interface GivenAnswer {
  readonly choice?: string;
  readonly values?: JsonObject;
}

/** Undefined if it does not answer the question. Whether a file exists is checked by the operation that records the answer. */
export function completeAnswer(
  { choices, fields = [] }: Asked,
  { choice, values }: { readonly choice?: unknown; readonly values?: unknown },
): GivenAnswer | undefined {
  if (isFreeText({ choices, fields }))
    return typeof choice === 'string' && choice.trim() !== '' ? { choice } : undefined;
  const chosen = choices.find((offered) => offered === choice);
  if (choices.length > 0 && chosen === undefined) return undefined;
  const named = chosen === undefined ? {} : { choice: chosen };
  if (fields.length === 0) return choices.length === 0 ? undefined : named;
  const read = readFields(fields, isJsonObject(values) ? values : {}, () => undefined);
  return read.problems.length === 0 ? { ...named, values: read.values } : undefined;
}

/** A question that offers nothing and asks for no values: any text is an answer. */
export function isFreeText({ choices, fields = [] }: Pick<Asked, 'choices' | 'fields'>): boolean {
  return choices.length === 0 && fields.length === 0;
}

/** After its time, a question is answered by its defaults, if they are complete. */
export function expiredAnswer(asked: Asked): Answer {
  return { type: 'expired', ...completeAnswer(asked, { choice: asked.default }) };
}
