/** Describes the first few places at which two values differ. */
const MOST = 5;

export function differences(expected: unknown, found: unknown, at = ''): readonly string[] {
  if (Object.is(expected, found)) return [];
  if (isRecord(expected) && isRecord(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...names]
      .flatMap((name) => differences(expected[name], found[name], at === '' ? name : `${at} › ${name}`))
      .slice(0, MOST);
  }
  return [`${at}: expected ${words(expected)}, found ${words(found)}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function words(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
