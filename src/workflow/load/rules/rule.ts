import type { ParsedTemplate } from '../../../template/template.ts';
import type { StepSource } from '../../schema/step.ts';
import type { Report } from '../report.ts';
import type { StepPlace } from '../step-index.ts';
import type { StepTexts } from '../texts.ts';
import type { WorkflowFile } from '../workflow-file.ts';

/** A rule checks a whole file and reports every place that breaks it. */
export type Rule = (check: Check) => void;

export interface Check {
  readonly file: WorkflowFile;
  readonly report: Report;
  /** Absolute. */
  readonly workspace: string;
  /** The texts of each step, in the order of `stepsOf`. */
  readonly texts: readonly StepTexts[];
  /** Cached `parseVariables`, since several rules parse the same texts. */
  readonly parse: (text: string) => ParsedTemplate;
}

export function stepsOf(check: Check): readonly StepPlace[] {
  return check.file.index.places;
}

/** The name of a step in messages; the name may be missing. */
export function called(step: StepSource): string {
  return step.name === '' ? 'the step' : `step \`${step.name}\``;
}
