/** The findings of `validate` in the formats that other programs read. */
import { defined } from '../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { positionAt, type SourceRange } from '../../model/source.ts';

export interface Finding {
  /** As the user named it. */
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Place {
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** Lines and columns count from 1; columns count code points. The end is exclusive. */
export function placeOf({ file, start, end }: SourceRange): Place {
  const from = positionAt(file, start);
  const to = positionAt(file, end);
  return { line: from.line, column: from.column, end_line: to.line, end_column: to.column };
}

export function renderFindingsJson(findings: readonly Finding[]): string {
  return `${JSON.stringify(findings.map(asJson), null, 2)}\n`;
}

function asJson({ file, diagnostics }: Finding): unknown {
  return {
    file,
    ok: !hasErrors(diagnostics),
    diagnostics: diagnostics.map(({ code, severity, message, range, help }) => ({
      code,
      severity,
      message,
      ...(range === undefined ? {} : placeOf(range)),
      ...defined({ help }),
    })),
  };
}
