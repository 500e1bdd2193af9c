import type { Answer } from '../../model/event.ts';
import type { Field } from '../../model/field.ts';
import { jsonText } from '../../model/json.ts';
import { printableLine } from './printable.ts';

/** What a field asks for, one line each. */
export function fieldLines(fields: readonly Field[]): readonly string[] {
  return fields.map(({ name, type, choices, required, default: value, description }) => {
    const kind = choices === undefined ? type : choices.map(printableLine).join(' | ');
    const need =
      value !== undefined ? `default ${printableLine(jsonText(value))}` : required ? 'required' : 'optional';
    const words = description === undefined ? '' : `: ${printableLine(description)}`;
    return `${name} (${kind}, ${need})${words}`;
  });
}

/** The choice and the values of an answer: `yes, version 1.2`. */
export function answerText({ choice, values = {} }: Pick<Answer, 'choice' | 'values'>): string {
  const given = Object.entries(values).map(
    ([name, value]) => `${name} ${printableLine(jsonText(value ?? null))}`,
  );
  return [...(choice === undefined ? [] : [printableLine(choice)]), ...given].join(', ');
}
