/**
 * Text with placeholders, as data. Three spellings (`${…}`, `[name]`, `{token}`) are parsed into this one form; scope, rendering and
 * shell quoting do not depend on the spelling.
 */
export type Template = readonly (string | Reference)[];

export interface Reference {
  readonly path: readonly string[];
  /** As written between the braces or brackets. */
  readonly text: string;
  /** From `${path:-fallback}`: the value where the path has none. */
  readonly fallback?: string;
  /** Half-open range of UTF-16 offsets in the text that was parsed, braces included. */
  readonly start: number;
  readonly end: number;
}

/** A mistake in the user's text; the loader turns it into a diagnostic with a place in the file. */
export interface TemplateProblem {
  /** Stable, `template/kebab-code`. */
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly help?: string;
}

export interface ParsedTemplate {
  readonly template: Template;
  readonly problems: readonly TemplateProblem[];
}

export function isReference(part: string | Reference): part is Reference {
  return typeof part !== 'string';
}

export function referencesOf(template: Template): readonly Reference[] {
  return template.filter(isReference);
}

/** Text without references. */
export function literalTemplate(text: string): Template {
  return text === '' ? [] : [text];
}
