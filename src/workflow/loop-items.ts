import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Block } from './block.ts';
import type { ForEachStep } from './definition.ts';
import { renderValue } from './render.ts';
import { recordVariable } from './variables.ts';

/** What a loop goes over: the list in the file, or the array that `items_from` points at. */
export function itemsOf(block: Block, step: ForEachStep): Result<readonly JsonValue[], Failure> {
  if (step.items.type === 'pointer') return pointedAt(block, step.items.pointer);
  const items = renderValue(block, step.items.list);
  return items.type === 'ok' && Array.isArray(items.value)
    ? ok(items.value)
    : (items as Result<never, Failure>);
}

function pointedAt(block: Block, pointer: string): Result<readonly JsonValue[], Failure> {
  const [, name, field, ...rest] = pointer.split('.');
  const record = name === undefined ? undefined : (block.records.get(name) ?? block.outer.get(name));
  if (record === undefined || field === undefined) {
    return error({ type: 'bad-pointer', pointer, reason: 'points at a step that has not run' });
  }
  const value = recordVariable(record, field, rest);
  if (value === undefined) {
    if (block.options.dryRun === true) return ok([]);
    return error({ type: 'bad-pointer', pointer, reason: 'points at nothing' });
  }
  if (!Array.isArray(value)) {
    return error({ type: 'bad-pointer', pointer, reason: 'points at a value that is not an array' });
  }
  return ok(value);
}
