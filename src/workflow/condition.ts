import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Block } from './block.ts';
import type { Condition } from './definition.ts';
import { renderComparable, renderGlob } from './render.ts';

/** Strings are compared; JSON values by their JSON text. Files are looked for once, when the condition is asked. */
export async function holds(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<boolean, Failure>> {
  const found = await findAll(block, condition, at);
  return found.type === 'error' ? found : evaluate(block, condition, found.value);
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

/** For people: what was asked. */
export function describeCondition(condition: Condition): string {
  switch (condition.type) {
    case 'equals':
      return `\`${condition.left}\` equals \`${condition.right}\``;
    case 'not-equals':
      return `\`${condition.left}\` differs from \`${condition.right}\``;
    case 'exists':
      return `\`${condition.glob}\` exists`;
    case 'not-exists':
      return `\`${condition.glob}\` does not exist`;
    case 'not':
      return `not (${describeCondition(condition.condition)})`;
    case 'all':
    case 'any':
      return condition.conditions.map(describePart).join(condition.type === 'all' ? ' and ' : ' or ');
    default:
      return unreachable(condition);
  }
}

/** So that nobody has to know whether `and` or `or` binds more tightly. */
function describePart(condition: Condition): string {
  const hasParts = condition.type === 'all' || condition.type === 'any';
  return hasParts && condition.conditions.length > 1
    ? `(${describeCondition(condition)})`
    : describeCondition(condition);
}
