/** The types of settings: how values are checked and described. */

import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { askRule, defineAsk } from '../../model/ask-schema.ts';
import { defined } from '../../model/defined.ts';
import type { JsonValue } from '../../model/json.ts';
import { unreachable } from '../../model/unreachable.ts';
import { checkAsk } from '../../store/check-ask.ts';

export type ValueKind =
  | { readonly type: 'text' }
  /** Relative to the workspace and inside it. */
  | { readonly type: 'path-inside' }
  | { readonly type: 'boolean' }
  | { readonly type: 'number'; readonly whole: boolean; readonly min: number; readonly max?: number }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'list'; readonly of: ValueKind }
  /** A rule of `ask`. */
  | { readonly type: 'ask-rule' };

export const TEXT: ValueKind = { type: 'text' };
export const PATH_INSIDE: ValueKind = { type: 'path-inside' };
export const BOOLEAN: ValueKind = { type: 'boolean' };
export const whole = (min: number, max?: number): ValueKind => ({
  ...{ type: 'number', whole: true, min },
  ...defined({ max }),
});
export const amount = (min: number): ValueKind => ({ type: 'number', whole: false, min });
export const choice = (choices: readonly string[]): ValueKind => ({ type: 'choice', choices });
export const ASK_RULE: ValueKind = { type: 'ask-rule' };
export const list = (of: ValueKind): ValueKind => ({ type: 'list', of });

/** Describes a type in help and messages. */
export function kindText(kind: ValueKind): string {
  switch (kind.type) {
    case 'text':
      return 'a string';
    case 'path-inside':
      return 'a path inside the workspace';
    case 'boolean':
      return 'true or false';
    case 'number':
      return `a ${kind.whole ? 'whole number' : 'number'}, ${kind.min} ${kind.max === undefined ? 'or more' : `to ${kind.max}`}`;
    case 'choice':
      return kind.choices.join(', ').replace(/, ([^,]*)$/, ' or $1');
    case 'list':
      return `a list, each ${kindText(kind.of)}`;
    case 'ask-rule':
      return 'a rule such as {"tool": "Bash", "command": "git push*", "do": "ask"}';
    default:
      return unreachable(kind);
  }
}

function schemaOf(kind: ValueKind): v.GenericSchema<unknown, JsonValue> {
  switch (kind.type) {
    case 'text':
      return v.pipe(v.string(), v.nonEmpty());
    case 'path-inside':
      return v.pipe(v.string(), v.nonEmpty(), v.check(staysInside));
    case 'boolean':
      return v.boolean();
    case 'number':
      return v.pipe(
        v.number(),
        v.check(
          (value) =>
            Number.isFinite(value) &&
            value >= kind.min &&
            value <= (kind.max ?? value) &&
            (!kind.whole || Number.isInteger(value)),
        ),
      );
    case 'choice':
      return v.picklist(kind.choices as [string, ...string[]]);
    case 'list':
      return v.array(schemaOf(kind.of)) as unknown as v.GenericSchema<unknown, JsonValue>;
    case 'ask-rule':
      return v.pipe(
        askRule,
        v.check((rule) => checkAsk(defineAsk([rule])).length === 0),
      ) as unknown as v.GenericSchema<unknown, JsonValue>;
    default:
      return unreachable(kind);
  }
}

export function fits(kind: ValueKind, value: unknown): value is JsonValue {
  return v.is(schemaOf(kind), value);
}

function staysInside(path: string): boolean {
  return !isAbsolute(path) && !path.split(/[\\/]/).includes('..');
}
