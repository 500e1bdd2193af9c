import { oneOf } from './fields.ts';
import { COMPLEXITIES, type Complexity, type SessionFile } from './session-file.ts';

/** Complexity by number of leaf tasks: fewer than 5 simple, 5 to 15 medium, more than 15 complex. */
export function complexityOf(leafTasks: number): Complexity {
  if (leafTasks < 5) return 'simple';
  return leafTasks <= 15 ? 'medium' : 'complex';
}

/** The complexity is never lowered. */
export function raised(current: Complexity, wanted: Complexity): Complexity {
  return COMPLEXITIES.indexOf(wanted) > COMPLEXITIES.indexOf(current) ? wanted : current;
}

/** Undefined: `type` has another meaning in this document. */
export function statedComplexity({ type }: SessionFile): Complexity | undefined {
  return type === '' ? 'simple' : oneOf(COMPLEXITIES, type);
}

export function sessionComplexity(file: SessionFile, leafTasks: number): Complexity {
  return raised(statedComplexity(file) ?? 'simple', complexityOf(leafTasks));
}
