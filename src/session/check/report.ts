import type { JsonValue } from '../../model/json.ts';
import type { JsonPath } from '../document/locate-json.ts';
import type { Finding, TaskRule } from './finding.ts';

export type Report = (
  rule: TaskRule,
  at: JsonPath,
  message: string,
  more?: Pick<Finding, 'help' | 'severity'>,
) => void;

export function checkText(value: JsonValue | undefined, at: JsonPath, report: Report): void {
  if (value === undefined) return;
  if (typeof value !== 'string') report('task/wrong-type', at, 'must be a string');
  else if (value.trim() === '') report('task/wrong-type', at, 'must not be empty');
}

export function checkTexts(value: JsonValue | undefined, at: JsonPath, report: Report): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    report('task/wrong-type', at, 'must be a list of strings');
    return;
  }
  value.forEach((each: JsonValue, index) => {
    if (typeof each !== 'string') report('task/wrong-type', [...at, index], 'must be a string');
  });
}
