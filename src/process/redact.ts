import { isJsonObject, type JsonValue } from '../model/json.ts';
import { maskText } from './mask.ts';

/** Words of this program. A secret that equals one of them is not masked. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'type',
  'outcome',
  'status',
  'capture',
  'kind',
  'effect',
  'code',
]);

/** Masks secret values in all strings of data; returns it unchanged if there are no secrets. */
export function redactor(secrets: readonly string[]): ((data: JsonValue) => JsonValue) | undefined {
  if (secrets.length === 0) return undefined;
  const redact = (data: JsonValue): JsonValue => {
    if (typeof data === 'string') return maskText(data, secrets);
    if (Array.isArray(data)) return data.map(redact);
    if (!isJsonObject(data)) return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        value === undefined || OWN_WORDS.has(key) ? value : redact(value),
      ]),
    );
  };
  return (data) => (holdsAny(data, secrets) ? redact(data) : data);
}

function holdsAny(data: JsonValue, secrets: readonly string[]): boolean {
  const text = JSON.stringify(data) ?? '';
  return maskText(text, secrets) !== text;
}
