import type { SourceRange } from './source.ts';

/**
 * The user's file is wrong. `code` is stable and `area/kebab-code`; `message` is lower case, one sentence, with names in
 * backquotes. A file with any diagnostic of severity `error` starts nothing.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Absent only where there is no text to point at: a file that cannot be read. */
  readonly range?: SourceRange;
  /** The file as a whole, where `range` is absent. */
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
