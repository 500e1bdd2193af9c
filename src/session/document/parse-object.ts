import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';

export function parseObject(value: JsonValue): Result<JsonObject, readonly string[]> {
  return isJsonObject(value) ? ok(value) : error(['not a JSON object']);
}
