/** All steps of a file, flat, each with what it can see. */

import type { StepSource } from '../schema/step.ts';
import type { WorkflowSource } from '../schema.ts';

export interface StepIndex {
  readonly places: readonly StepPlace[];
  /** What `outputs` sees: every step of the outermost lists. */
  readonly outermost: StepScope;
  /** The first step of each name, wherever it stands. */
  readonly byName: ReadonlyMap<string, StepPlace>;
}

export interface StepPlace {
  readonly step: StepSource;
  readonly list: readonly StepSource[];
  readonly scope: StepScope;
}

/** A list of steps and the lists around it. A step sees those of its own list and of every list around. */
export interface StepScope {
  readonly parent: StepScope | undefined;
  readonly names: ReadonlyMap<string, StepSource>;
  /** The step that holds the list, for words. */
  readonly owner: StepSource | undefined;
  /** The name of the loop's item, where the list is the body of a loop. */
  readonly loopItem: string | undefined;
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

/** The step that `name` means here. */
export function visibleStep(scope: StepScope, name: string): StepSource | undefined {
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent) {
    const step = at.names.get(name);
    if (step !== undefined) return step;
  }
  return undefined;
}

export function visibleNames(scope: StepScope): readonly string[] {
  const names: string[] = [];
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent)
    names.push(...at.names.keys());
  return names;
}

/** Names of loop items that can be used here, innermost first. */
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
  for (const step of list) {
    const place: StepPlace = { step, list, scope };
    places.push(place);
    const { for_each: loop, parallel, repeat } = step;
    if (loop !== undefined) addList(places, loop.steps, innerScope(loop.steps, { place, item: loop.as }));
    if (repeat !== undefined) {
      addList(places, repeat.steps, innerScope(repeat.steps, { place, item: 'iteration' }));
    }
    for (const branch of parallel?.branches ?? []) {
      addList(places, branch.steps, innerScope(branch.steps, { place }));
    }
    for (const single of parallel?.steps ?? []) addList(places, [single], innerScope([single], { place }));
  }
}

function scopeOf(steps: readonly StepSource[], around: Omit<StepScope, 'names'>): StepScope {
  const names = new Map<string, StepSource>();
  for (const step of steps) for (const name of namesOf(step)) if (!names.has(name)) names.set(name, step);
  return { ...around, names };
}

/** A call's `as` is its second name. */
function namesOf(step: StepSource): readonly string[] {
  const names = step.call?.as === undefined ? [step.name] : [step.name, step.call.as];
  return names.filter((name) => name !== '');
}
