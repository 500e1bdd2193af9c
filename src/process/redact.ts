import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
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

/** Their values are data of users, in which names may contain a secret, too; everywhere else, names are this program's. */
const OF_USERS: ReadonlySet<string> = new Set(['json', 'values', 'structured']);

/** Masks secret values in all strings of data; returns it unchanged if there are no secrets. */
export function redactor(secrets: readonly string[]): ((data: JsonValue) => JsonValue) | undefined {
  if (secrets.length === 0) return undefined;
  const redact = (data: JsonValue, isOfUser = false): JsonValue => {
    if (typeof data === 'string') return maskText(data, secrets);
    if (Array.isArray(data)) return data.map((each) => redact(each, isOfUser));
    if (!isJsonObject(data)) return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => {
        if (value === undefined || OWN_WORDS.has(key)) return [key, value];
        const name = isOfUser ? maskText(key, secrets) : key;
        return [name, redact(value, isOfUser || OF_USERS.has(key) || isResult(data, key))];
      }),
    );
  };
  return (data) => (holdsAny(data, secrets) ? redact(data) : data);
}

/** What a workflow in code returns. */
function isResult(data: JsonObject, key: string): boolean {
  return key === 'output' && data['type'] === 'run-ended';
}

function holdsAny(data: JsonValue, secrets: readonly string[]): boolean {
  const text = JSON.stringify(data) ?? '';
  return maskText(text, secrets) !== text;
}
