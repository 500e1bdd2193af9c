import type { Reference, Template } from './template.ts';

/** Collects parts while a text is parsed; adjacent pieces of text become one part. */
export interface TemplateBuilder {
  readonly addText: (text: string) => void;
  readonly addReference: (reference: Reference) => void;
  readonly template: () => Template;
}

export function createTemplateBuilder(): TemplateBuilder {
  const parts: (string | Reference)[] = [];
  return {
    addText: (text) => {
      if (text === '') return;
      const last = parts.at(-1);
      if (typeof last === 'string') parts[parts.length - 1] = last + text;
      else parts.push(text);
    },
    addReference: (reference) => {
      parts.push(reference);
    },
    template: () => parts,
  };
}
