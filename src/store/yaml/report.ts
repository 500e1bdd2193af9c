import { defined } from '../../model/defined.ts';
import type { Diagnostic, RelatedPlace } from '../../model/diagnostic.ts';
import type { SourceRange } from '../../model/source.ts';
import type { ReadingCode } from './codes.ts';

export interface Words {
  readonly message: string;
  readonly help?: string | undefined;
  readonly related?: readonly RelatedPlace[] | undefined;
}

/** Collects the diagnostics of a file. */
export interface Report<Code extends string = ReadingCode> {
  error(code: Code, range: SourceRange, words: Words): void;
  warning(code: Code, range: SourceRange, words: Words): void;
  /** Skipped if the file already has this code. */
  once(code: Code, range: SourceRange, words: Words): void;
}

export function createReport<Code extends string = ReadingCode>(diagnostics: Diagnostic[]): Report<Code> {
  function add(severity: 'error' | 'warning', code: Code, at: { range: SourceRange; words: Words }): void {
    const { message, help, related } = at.words;
    diagnostics.push({
      code,
      severity,
      message,
      range: at.range,
      ...defined({ help, related }),
    });
  }
  return {
    error: (code, range, words) => add('error', code, { range, words }),
    warning: (code, range, words) => add('warning', code, { range, words }),
    once(code, range, words) {
      if (!diagnostics.some((known) => known.code === code)) add('error', code, { range, words });
    },
  };
}
