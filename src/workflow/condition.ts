import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Block } from './block.ts';
import type { Condition } from './definition.ts';
import { renderComparable, renderGlob } from './render.ts';

/** Compares strings, and JSON values by their JSON text. Files are searched once, when the condition is checked. */
export async function holds(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<boolean, Failure>> {
  const found = await findAll(block, condition, at);
  return found.type === 'error' ? found : evaluate(block, condition, found.value);
}

/** Why the condition does not hold; `undefined` if it does. */
export async function unmetReason(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<string | undefined, Failure>> {
  const found = await findAll(block, condition, at);
  if (found.type === 'error') return found;
  const held = evaluate(block, condition, found.value);
  if (held.type === 'error') return held;
  return ok(held.value ? undefined : describeFact({ block, found: found.value }, condition, false));
}

type Found = ReadonlyMap<Condition, boolean>;

async function findAll(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<Found, Failure>> {
  const globs = globsIn(condition);
  if (globs.length === 0) return ok(new Map());
  const patterns: string[] = [];
  for (const glob of globs) {
    const rendered = renderGlob(block, glob.glob);
    if (rendered.type === 'error') return rendered;
    patterns.push(rendered.value);
  }
  const { output } = await block.durable.step(sideKey(at.key, at.side), 'find-files', { patterns });
  if (output.failure !== undefined) return error(output.failure);
  return ok(new Map(globs.map((glob, index) => [glob, (output.matches[index]?.length ?? 0) > 0])));
}

type GlobCondition = Extract<Condition, { readonly glob: string }>;

function globsIn(condition: Condition): readonly GlobCondition[] {
  switch (condition.type) {
    case 'exists':
    case 'not-exists':
      return [condition];
    case 'all':
    case 'any':
      return condition.conditions.flatMap(globsIn);
    case 'not':
      return globsIn(condition.condition);
    case 'equals':
    case 'not-equals':
      return [];
    default:
      return unreachable(condition);
  }
}

function evaluate(block: Block, condition: Condition, found: Found): Result<boolean, Failure> {
  switch (condition.type) {
    case 'equals':
    case 'not-equals': {
      const left = renderComparable(block, condition.left);
      const right = renderComparable(block, condition.right);
      if (left.type === 'error') return left;
      if (right.type === 'error') return right;
      return ok((left.value === right.value) === (condition.type === 'equals'));
    }
    case 'exists':
      return ok(found.get(condition) === true);
    case 'not-exists':
      return ok(found.get(condition) !== true);
    case 'not': {
      const inner = evaluate(block, condition.condition, found);
      return inner.type === 'error' ? inner : ok(!inner.value);
    }
    case 'all':
    case 'any': {
      const wanted = condition.type === 'any';
      for (const part of condition.conditions) {
        const inner = evaluate(block, part, found);
        if (inner.type === 'error' || inner.value === wanted) return inner;
      }
      return ok(!wanted);
    }
    default:
      return unreachable(condition);
  }
}

interface Asked {
  readonly block: Block;
  readonly found: Found;
}

/** States the fact that decides a condition, with its value: `` `${x}` is `7`, not `7.0` ``. */
function describeFact(asked: Asked, condition: Condition, isTrue: boolean): string {
  switch (condition.type) {
    case 'equals':
    case 'not-equals':
      return describeComparison(asked.block, condition, isTrue === (condition.type === 'equals'));
    case 'exists':
    case 'not-exists': {
      const exists = isTrue === (condition.type === 'exists');
      if (!/[*?]/.test(condition.glob))
        return `\`${condition.glob}\` ${exists ? 'exists' : 'does not exist'}`;
      return `${exists ? 'a' : 'no'} file matches \`${condition.glob}\``;
    }
    case 'not':
      return describeFact(asked, condition.condition, !isTrue);
    case 'all':
    case 'any': {
      const { conditions } = condition;
      const isDecidedByOne = isTrue === (condition.type === 'any');
      const parts = isDecidedByOne
        ? conditions.filter((part) => isFact(asked, part, isTrue)).slice(0, 1)
        : conditions;
      return parts.map((part) => describeFact(asked, part, isTrue)).join(' and ');
    }
    default:
      return unreachable(condition);
  }
}

function isFact({ block, found }: Asked, condition: Condition, isTrue: boolean): boolean {
  const held = evaluate(block, condition, found);
  return held.type === 'ok' && held.value === isTrue;
}

function describeComparison(
  block: Block,
  { left, right }: Extract<Condition, { readonly left: string }>,
  areEqual: boolean,
): string {
  const [first, second] = left.includes('$') ? [left, right] : [right, left];
  if (!first.includes('$')) return `\`${left}\` ${areEqual ? 'equals' : 'is not'} \`${right}\``;
  const fact = `\`${first}\` is ${valueText(block, first)}`;
  if (areEqual) return fact;
  return second.includes('$')
    ? `${fact}, \`${second}\` is ${valueText(block, second)}`
    : `${fact}, not ${valueText(block, second)}`;
}

const VALUE_SHOWN = 80;

/** Quoted if white space would hide what it is. */
function valueText(block: Block, text: string): string {
  const rendered = renderComparable(block, text);
  const value = rendered.type === 'ok' ? rendered.value : '';
  const short =
    value.length > VALUE_SHOWN ? `${value.slice(0, VALUE_SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : value;
  return `\`${/^$|^\s|\s$|[\n\r\t]/.test(short) ? JSON.stringify(short) : short}\``;
}
