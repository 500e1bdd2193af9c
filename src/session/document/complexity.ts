import { COMPLEXITIES, type Complexity } from './session-file.ts';

/** Complexity by number of leaf tasks: fewer than 5 simple, 5 to 15 medium, more than 15 complex. */
export function complexityOf(leafTasks: number): Complexity {
  if (leafTasks < 5) return 'simple';
  return leafTasks <= 15 ? 'medium' : 'complex';
}

/** The complexity is never lowered. */
export function raised(current: Complexity, wanted: Complexity): Complexity {
  return COMPLEXITIES.indexOf(wanted) > COMPLEXITIES.indexOf(current) ? wanted : current;
}
