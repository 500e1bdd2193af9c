import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Block } from './block.ts';
import type { ForEachStep } from './definition.ts';
import { renderText } from './render.ts';
import { recordVariable } from './variables.ts';

/** What a loop goes over: the list in the file, or the array that `items_from` points at. */
export function itemsOf(block: Block, step: ForEachStep): Result<readonly JsonValue[], Failure> {
  if (step.items.type === 'pointer') return pointedAt(block, step.items.pointer);
  const items: JsonValue[] = [];
  const missing: string[] = [];
  for (const item of step.items.list) {
    if (typeof item !== 'string') {
      items.push(item);
      continue;
    }
    const rendered = renderText(block, item);
    if (rendered.type === 'ok') items.push(rendered.value);
    else if (rendered.error.type === 'undefined-variables') missing.push(...rendered.error.names);
    else return rendered;
  }
  return missing.length === 0 ? ok(items) : error({ type: 'undefined-variables', names: missing });
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
