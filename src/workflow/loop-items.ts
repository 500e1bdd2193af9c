import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Block } from './block.ts';
import type { ForEachStep } from './definition.ts';
import { renderValue } from './render.ts';
import { truncationOf, variablesOf } from './variables.ts';

/** The items of a loop: the list in the file, or the list that a variable or `items_from` names. */
export function itemsOf(block: Block, step: ForEachStep): Result<readonly JsonValue[], Failure> {
  if (step.items.type === 'pointer') return pointedAt(block, step.items.pointer, step);
  if (step.items.type === 'matrix') return combinations(block, step.items.lists);
  const { list } = step.items;
  const items = renderValue(block, list);
  if (items.type === 'error') return items;
  if (Array.isArray(items.value)) return ok(items.value);
  const pointer = typeof list === 'string' ? list : JSON.stringify(list);
  return block.options.dryRun === true
    ? ok(unknownItems(step))
    : error({ type: 'bad-pointer', pointer, reason: 'points to a value that is not an array' });
}

/** A dry run has no results to loop over: the steps are shown once, and the item as its name. */
function unknownItems({ as }: ForEachStep): readonly JsonValue[] {
  return [`\${${as}}`];
}

function pointedAt(block: Block, pointer: string, step: ForEachStep): Result<readonly JsonValue[], Failure> {
  const path = pointer.split('.');
  const refuse = (reason: string) => error<Failure>({ type: 'bad-pointer', pointer, reason });
  const [root, name = ''] = path;
  if (root === 'steps' && !block.records.has(name) && !block.outer.has(name))
    return refuse('points to a step that has not run');
  const cut = truncationOf(block, path);
  if (cut !== undefined) return refuse(`points to a value that cannot be used: ${cut}`);
  const value = variablesOf(block)(path);
  if (Array.isArray(value)) return ok(value);
  if (block.options.dryRun === true) return ok(unknownItems(step));
  return refuse(
    value === undefined ? 'points to a value that does not exist' : 'points to a value that is not an array',
  );
}

/** More would not fit into memory and journal. */
const MOST_COMBINATIONS = 100_000;

function combinations(
  block: Block,
  lists: { readonly [name: string]: readonly JsonValue[] | string },
): Result<readonly JsonValue[], Failure> {
  let combined: { readonly [name: string]: JsonValue }[] = [{}];
  for (const [name, list] of Object.entries(lists)) {
    const rendered = renderValue(block, list as JsonValue);
    if (rendered.type === 'error') return rendered;
    const isUnknown = block.options.dryRun === true && !Array.isArray(rendered.value);
    const values = isUnknown ? [`\${matrix.${name}}`] : rendered.value;
    if (!Array.isArray(values)) {
      const reason = 'points to a value that is not an array';
      return error({ type: 'bad-pointer', pointer: String(list), reason });
    }
    if (combined.length * values.length > MOST_COMBINATIONS) {
      const reason = `the matrix has more than ${MOST_COMBINATIONS} combinations`;
      return error({ type: 'unusable-values', reasons: [reason] });
    }
    combined = combined.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return ok(combined);
}
