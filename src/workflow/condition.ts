import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { parseVariables } from '../template/parse-variables.ts';
import { referencesOf } from '../template/template.ts';
import type { Block } from './block.ts';
import { compare } from './compare.ts';
import { describeFact } from './condition-facts.ts';
import type { Condition } from './definition.ts';
import { renderGlob } from './render.ts';
import { variablesOf } from './variables.ts';

export interface Judged {
  readonly isMet: boolean;
  /** What decided it, with the values that were compared. */
  readonly fact: string;
}

/** Compares strings, and JSON values by their JSON text. Files are searched once, when the condition is checked. */
export async function judge(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<Judged, Failure>> {
  const found = await findAll(block, condition, at);
  if (found.type === 'error') return found;
  const met = evaluate(block, condition, found.value);
  if (met.type === 'error') return met;
  const asked = { block, evaluate: (part: Condition) => evaluate(block, part, found.value) };
  return ok({ isMet: met.value, fact: describeFact(asked, condition, met.value) });
}

/** Whether a condition is met, for callers that do not report why. */
export async function holds(
  block: Block,
  condition: Condition,
  at: { readonly key: StepKey; readonly side: string },
): Promise<Result<boolean, Failure>> {
  const judged = await judge(block, condition, at);
  return judged.type === 'error' ? judged : ok(judged.value.isMet);
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
    default:
      // Partial: the others do not look for files.
      return [];
  }
}

function evaluate(block: Block, condition: Condition, found: Found): Result<boolean, Failure> {
  switch (condition.type) {
    case 'defined': {
      const [variable] = referencesOf(parseVariables(condition.variable).template);
      return ok(variable !== undefined && variablesOf(block)(variable.path) !== undefined);
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
      // Partial: the others compare two sides.
      return compare(block, condition);
  }
}
