import type { Diagnostic } from '../../model/diagnostic.ts';
import { type Report as AnyReport, createReport as createAnyReport } from '../../store/yaml/report.ts';
import type { Code } from './codes.ts';

export type { Words } from '../../store/yaml/report.ts';

export type Report = AnyReport<Code>;

export function createReport(diagnostics: Diagnostic[]): Report {
  return createAnyReport<Code>(diagnostics);
}
