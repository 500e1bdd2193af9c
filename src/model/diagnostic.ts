import type { SourceRange } from './source.ts';

/**
 * A mistake in the user's file. `code` is stable and has the form `area/kebab-code`; `message` is lower case, one sentence, with names in
 * backquotes. Nothing starts from a file with a diagnostic of severity `error`.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Omitted only if there is no text to point at: the file cannot be read. */
  readonly range?: SourceRange;
  /** The file as a whole, if `range` is omitted. */
  readonly path?: string;
  readonly related?: readonly RelatedPlace[];
  readonly help?: string;
}

export interface RelatedPlace {
  readonly message: string;
  readonly range: SourceRange;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
