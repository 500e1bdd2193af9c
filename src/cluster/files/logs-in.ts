import { isJsonObject, type JsonValue } from '../../model/json.ts';

/** Logs of the run that an input refers to: the complete output of an earlier step (`OutputLog`). Relative to the run's folder. */
export function logsIn(input: JsonValue, runId: string): readonly string[] {
  const found = new Set<string>();
  const waiting: JsonValue[] = [input];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...(value as readonly JsonValue[]));
    else if (isJsonObject(value)) {
      const { runId: of, file, bytes } = value;
      if (of === runId && typeof file === 'string' && typeof bytes === 'number') found.add(file);
      waiting.push(...Object.values(value).filter((each) => each !== undefined));
    }
  }
  return [...found].sort();
}
