import type { JsonValue } from '../../model/json.ts';
import type { JsonPath } from '../document/locate-json.ts';
import type { Finding, TaskRule } from './finding.ts';

export type Report = (
  rule: TaskRule,
  at: JsonPath,
  message: string,
  more?: Pick<Finding, 'help' | 'severity'>,
) => void;

/** For what the program can do without: it uses a default, and `task validate --strict` refuses it. */
export const WARNING = { severity: 'warning' } as const;

export function checkText(value: JsonValue | undefined, at: JsonPath, report: Report): void {
  if (value === undefined || value === null) return;
  if (typeof value !== 'string') report('task/wrong-type', at, 'must be a string', WARNING);
  else if (value.trim() === '') report('task/wrong-type', at, 'must not be empty', WARNING);
}

export function checkTexts(value: JsonValue | undefined, at: JsonPath, report: Report): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) {
    report('task/wrong-type', at, 'must be a list of strings', WARNING);
    return;
  }
  value.forEach((each: JsonValue, index) => {
    if (typeof each !== 'string') report('task/wrong-type', [...at, index], 'must be a string', WARNING);
  });
}
