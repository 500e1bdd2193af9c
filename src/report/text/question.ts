import type { Answer } from '../../model/event.ts';
import type { Field } from '../../model/field.ts';
import { jsonText } from '../../model/json.ts';
import { printableLine } from './printable.ts';

/** What a field asks for, one line each. */
export function fieldLines(fields: readonly Field[]): readonly string[] {
  return fields.map((field) => {
    const { name, description } = field;
    const words = description === undefined ? '' : `: ${printableLine(description)}`;
    return `${name} (${kindText(field)}, ${needText(field)})${words}`;
  });
}

/** `number`, or the choices. */
export function kindText({ type, choices }: Field): string {
  return choices === undefined ? type : choices.map(printableLine).join(' | ');
}

export function needText({ required, default: value }: Field): string {
  if (value !== undefined) return `default ${printableLine(jsonText(value))}`;
  return required ? 'required' : 'optional';
}

/** The choice and the values of an answer: `yes, version 1.2`. */
export function answerText({ choice, values = {} }: Pick<Answer, 'choice' | 'values'>): string {
  const given = Object.entries(values).map(
    ([name, value]) => `${name} ${printableLine(jsonText(value ?? null))}`,
  );
  return [...(choice === undefined ? [] : [printableLine(choice)]), ...given].join(', ');
}
