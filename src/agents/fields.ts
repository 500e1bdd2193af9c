import type { AgentTodo } from '../model/agent.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** Reads the output of another program, where every field may be missing or have another type. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function todoStatusOf(value: JsonValue | undefined): AgentTodo['status'] {
  return value === 'in_progress' || value === 'completed' ? value : 'pending';
}
