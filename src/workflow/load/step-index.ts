/** A flat index of all steps of a file, each with the steps it can see. */

import type { StepSource } from '../schema/step.ts';
import type { WorkflowSource } from '../schema/workflow-file.ts';
import { needsOf } from './needs.ts';

export interface StepIndex {
  readonly places: readonly StepPlace[];
  /** The scope of `outputs`: every step of the outermost lists. */
  readonly outermost: StepScope;
  /** The first step of each name, at any level. */
  readonly byName: ReadonlyMap<string, StepPlace>;
}

export interface StepPlace {
  readonly step: StepSource;
  readonly list: readonly StepSource[];
  readonly scope: StepScope;
}

/**
 * A list of steps and its enclosing lists. A step sees the steps of its own list, of every enclosing list, and inside their `parallel`
 * `graph` and `repeat` steps, but not other branches of a `parallel` it belongs to, and of its own `graph` only the steps it needs.
 */
export interface StepScope {
  readonly parent: StepScope | undefined;
  readonly names: ReadonlyMap<string, StepSource>;
  /** Inner steps that other steps of the list can see. */
  readonly held: ReadonlyMap<string, { readonly step: StepSource; readonly holder: StepSource }>;
  /** The step that contains the list, for messages. */
  readonly owner: StepSource | undefined;
  /** The name of the loop's item, if the list is the body of a loop. */
  readonly loopItem: string | undefined;
  /** The scope of one step of a graph: it sees the others only if it needs them. */
  readonly node?: { readonly step: StepSource; readonly needs: (other: StepSource) => boolean };
}

export function indexSteps(source: WorkflowSource): StepIndex {
  const places: StepPlace[] = [];
  const top = scopeOf(source.steps, { parent: undefined, owner: undefined, loopItem: undefined });
  addList(places, source.steps, top);
  const last = source.finally ?? [];
  const outermost = scopeOf(last, { parent: top, owner: undefined, loopItem: undefined });
  addList(places, last, outermost);
  const byName = new Map<string, StepPlace>();
  for (const place of places) {
    for (const name of namesOf(place.step)) if (!byName.has(name)) byName.set(name, place);
  }
  return { places, outermost, byName };
}

/** The step that `name` refers to in this scope. */
export function visibleStep(scope: StepScope, name: string): StepSource | undefined {
  let from: StepSource | undefined;
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent) {
    const sees = (step: StepSource): boolean => at?.node?.needs(step) !== false;
    const step = at.names.get(name);
    if (step !== undefined && sees(step)) return step;
    const held = at.held.get(name);
    if (held !== undefined && held.holder !== from && sees(held.holder)) return held.step;
    from = at.owner;
  }
  return undefined;
}

export function visibleNames(scope: StepScope): readonly string[] {
  const names: string[] = [];
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent)
    names.push(...at.names.keys(), ...at.held.keys());
  return names.filter((name) => visibleStep(scope, name) !== undefined);
}

/** The lists of the innermost matrix around this scope. */
export function matrixOf(scope: StepScope): readonly string[] | undefined {
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent) {
    const matrix = at.owner?.for_each?.matrix;
    if (matrix !== undefined) return Object.keys(matrix);
  }
  return undefined;
}

/** Names of loop items available in this scope, innermost first. */
export function loopItems(scope: StepScope): readonly string[] {
  const items: string[] = [];
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.loopItem !== undefined) items.push(at.loopItem);
  }
  return items;
}

/** The scope of a block's own steps, for its `until`. */
export function innerScope(
  steps: readonly StepSource[],
  outer: { place: StepPlace; item?: string },
): StepScope {
  return scopeOf(steps, { parent: outer.place.scope, owner: outer.place.step, loopItem: outer.item });
}

function addList(places: StepPlace[], list: readonly StepSource[], scope: StepScope): void {
  for (const step of list) addPlace(places, { step, list, scope });
}

function addPlace(places: StepPlace[], place: StepPlace): void {
  places.push(place);
  const { for_each: loop, parallel, graph, repeat } = place.step;
  if (loop !== undefined) addList(places, loop.steps, innerScope(loop.steps, { place, item: loop.as }));
  if (repeat !== undefined) {
    addList(places, repeat.steps, innerScope(repeat.steps, { place, item: 'iteration' }));
  }
  for (const branch of parallel?.branches ?? []) {
    addList(places, branch.steps, innerScope(branch.steps, { place }));
  }
  for (const single of parallel?.steps ?? []) addList(places, [single], innerScope([single], { place }));
  if (graph !== undefined) {
    const list = graph.steps;
    const shared = innerScope(list, { place });
    const isNeeded = needsOf(list);
    for (const step of list) {
      const node = { step, needs: (other: StepSource) => isNeeded(step, other) };
      addPlace(places, { step, list, scope: { ...shared, node } });
    }
  }
}

function scopeOf(steps: readonly StepSource[], around: Omit<StepScope, 'names' | 'held'>): StepScope {
  const names = new Map<string, StepSource>();
  const held = new Map<string, { step: StepSource; holder: StepSource }>();
  for (const step of steps) {
    for (const name of namesOf(step)) if (!names.has(name)) names.set(name, step);
    for (const inner of heldBy(step)) {
      for (const name of namesOf(inner)) if (!held.has(name)) held.set(name, { step: inner, holder: step });
    }
  }
  return { ...around, names, held };
}

/** The inner steps of a `repeat` or `graph`, or of every branch of a `parallel`. */
function heldBy(step: StepSource): readonly StepSource[] {
  const { parallel, graph, repeat } = step;
  const direct = [
    ...(repeat?.steps ?? []),
    ...(graph?.steps ?? []),
    ...(parallel?.steps ?? []),
    ...(parallel?.branches ?? []).flatMap((branch) => branch.steps),
  ];
  return direct.flatMap((inner) => [inner, ...heldBy(inner)]);
}

/** A call's `as` is an alias. */
function namesOf(step: StepSource): readonly string[] {
  const names = step.call?.as === undefined ? [step.name] : [step.name, step.call.as];
  return names.filter((name) => name !== '');
}
