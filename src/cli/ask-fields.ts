/** Asks for typed values on the terminal, one after the other. */
import type { Field, Misfit } from '../model/field.ts';
import type { JsonValue } from '../model/json.ts';
import type { Result } from '../model/result.ts';
import { askLine } from './ask-line.ts';
import type { CliContext } from './context.ts';

/** Undefined if the user closed the terminal instead of answering. An empty answer leaves out an optional field. */
export async function askFields(
  context: CliContext,
  fields: readonly Field[],
  read: (field: Field, text: string) => Result<JsonValue, Misfit>,
): Promise<{ readonly [name: string]: JsonValue } | undefined> {
  const values: { [name: string]: JsonValue } = {};
  for (const field of fields) {
    if (field.description !== undefined) context.err(`${field.description.trimEnd()}\n`);
    for (;;) {
      const answer = await askLine(`${field.name} (${hintOf(field)}): `);
      if (answer === undefined) return undefined;
      const text = answer.trim();
      if (text === '' && !field.required) break;
      if (text === '') continue;
      const value = read(field, text);
      if (value.type === 'ok') {
        values[field.name] = value.value;
        break;
      }
      const { reason, meant } = value.error;
      context.err(
        `\`${field.name}\` ${reason}${meant === undefined ? '' : `; did you mean \`${meant}\`?`}\n`,
      );
    }
  }
  return values;
}

function hintOf({ type, choices, default: value }: Field): string {
  const kind = choices === undefined ? (type === 'boolean' ? 'true, false' : type) : choices.join(', ');
  return value === undefined ? kind : `${kind}; default ${String(value)}`;
}
