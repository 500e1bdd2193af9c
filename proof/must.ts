import { type Finding, Violation } from './suite.ts';

/** Throws the finding if the condition does not hold. */
export function must(holds: boolean, finding: () => Finding): asserts holds {
  if (!holds) throw new Violation(finding());
}

export function mustEqual<Value>(found: Value, expected: Value, where: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  must(a === b, () => ({ expected: shortened(b), found: shortened(a), where }));
}

export function shortened(text: string | undefined, most = 2000): string {
  const whole = text ?? 'nothing';
  return whole.length <= most ? whole : `${whole.slice(0, most)}… (${whole.length} characters)`;
}
