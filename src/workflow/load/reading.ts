import type { SourceRange } from '../../model/source.ts';
import type { StepScope } from './step-index.ts';

/** A place that reads a step. */
export interface Reading {
  /** Start of messages: `step \`Review\``. */
  readonly reader: string;
  readonly scope: StepScope;
  readonly path: { readonly name: string; readonly member: string; readonly rest: readonly string[] };
  /** Computed only when there is something to report. */
  range(): SourceRange;
}

/** The path as written in the file, or as corrected. */
export function written(reading: Reading, changed: Partial<Reading['path']> = {}): string {
  const { name, member, rest } = { ...reading.path, ...changed };
  return ['steps', name, member, ...rest].filter((part) => part !== '').join('.');
}
