/**
 * The tree of steps in a run's state, and where in it a key is shown: a `for_each` is an array of iterations, a `repeat` has `iterations`, a
 * `parallel` or `graph` has `branches`, a `call` has `steps`.
 */
import type { Note } from '../model/note.ts';
import type { RunState, StateSteps, StepState } from '../model/run-state.ts';

export type ContainerKind = Extract<Note, { type: 'container' }>['kind'];

/** The only function that maps a key to a place in the tree. */
export function placeIn(
  state: RunState,
  key: string,
  containers: ReadonlyMap<string, ContainerKind>,
): { readonly steps: StateSteps; readonly name: string; readonly visit: number } {
  let steps = state.steps;
  let from = 0;
  for (let end = key.indexOf('/'); end !== -1; end = key.indexOf('/', from)) {
    const kind = containers.get(key.slice(0, end));
    if (kind === undefined) break;
    const { name } = visitOf(key.slice(from, end));
    const childEnd = endOfSegment(key, end + 1);
    const child = key.slice(end + 1, childEnd);
    if (kind === 'for-each') {
      steps = iteration(arrayIn(steps, name), Number(child));
    } else {
      const step = stepIn(steps, name);
      if (kind === 'repeat') {
        step.iterations ??= [];
        steps = iteration(step.iterations, Number(child));
      } else if (kind === 'parallel' || kind === 'graph') {
        steps = branchIn(step, child);
      } else {
        step.steps ??= {};
        steps = step.steps;
      }
    }
    from = kind === 'call' ? end + 1 : childEnd + 1;
  }
  const { name, visit } = visitOf(key.slice(from));
  return { steps, name, visit };
}

function endOfSegment(key: string, from: number): number {
  const slash = key.indexOf('/', from);
  return slash === -1 ? key.length : slash;
}

/** Removes the results of an earlier attempt; contained steps stay. */
export function clear(step: StepState): void {
  for (const field of Object.keys(step)) {
    if (!KEPT.has(field)) delete step[field as keyof StepState];
  }
}

const KEPT: ReadonlySet<string> = new Set([
  'visits',
  'earlier_visits',
  'decisions',
  'iterations',
  'branches',
  'steps',
]);

function visitOf(segment: string): { readonly name: string; readonly visit: number } {
  const hash = segment.lastIndexOf('#');
  return hash === -1
    ? { name: segment, visit: 1 }
    : { name: segment.slice(0, hash), visit: Number(segment.slice(hash + 1)) };
}

export function stepIn(steps: StateSteps, name: string): StepState {
  const existing = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (existing !== undefined && !Array.isArray(existing)) return existing;
  const made: StepState = { status: 'running' };
  steps[name] = made;
  return made;
}

export function branchIn(step: StepState, branch: string): StateSteps {
  step.branches ??= Object.create(null) as Record<string, StateSteps>;
  step.branches[branch] ??= Object.create(null) as StateSteps;
  return step.branches[branch];
}

function arrayIn(steps: StateSteps, name: string): StateSteps[] {
  const existing = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (Array.isArray(existing)) return existing;
  const made: StateSteps[] = [];
  steps[name] = made;
  return made;
}

/** Iterations may start out of order; those not started yet are empty. */
function iteration(list: StateSteps[], index: number): StateSteps {
  while (list.length <= index) list.push({});
  return list[index] ?? {};
}
