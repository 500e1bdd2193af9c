import { defined } from '../../model/defined.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceFile } from '../../model/source.ts';
import { type JsonPath, jsonPathText, locateJson } from '../document/locate-json.ts';

/** The diagnostic codes of the integrity rules of tasks. */
export type TaskRule =
  | 'task/not-json'
  | 'task/duplicate-id'
  | 'task/malformed-id'
  | 'task/missing-parent'
  | 'task/closed-parent'
  | 'task/too-deep'
  | 'task/unknown-status'
  | 'task/missing-field'
  | 'task/wrong-type'
  | 'task/focus-path'
  | 'task/flow-control'
  | 'task/missing-dependency'
  | 'task/dependency-cycle'
  | 'task/depends-on-parent'
  | 'task/container-status'
  | 'task/unknown-type';

export interface Finding {
  readonly rule: TaskRule;
  readonly file: SourceFile;
  readonly at: JsonPath;
  readonly message: string;
  readonly help?: string;
  readonly severity?: 'warning';
  /** UTF-16 offsets, if the text itself is invalid. */
  readonly offsets?: { readonly start: number; readonly end: number };
}

export function diagnosticOf(finding: Finding): Diagnostic {
  const { rule, file, at, message, help, severity } = finding;
  const place = finding.offsets ?? locateJson(file, at);
  const path = at.length === 0 ? '' : `\`${jsonPathText(at)}\` `;
  return {
    code: rule,
    severity: severity ?? 'error',
    message: `${path}${message}`,
    range: { file, ...place },
    ...defined({ help }),
  };
}
