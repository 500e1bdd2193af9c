import { createReport } from '../report.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import type { Rule } from './rule.ts';

const RULES: readonly Rule[] = [];

export function checkRules(workspace: string, file: WorkflowFile): void {
  const check = { file, workspace, report: createReport(file.diagnostics) };
  for (const rule of RULES) rule(check);
}
