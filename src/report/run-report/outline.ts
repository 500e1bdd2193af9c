/**
 * The tree of a run's steps, flattened into rows to read from top to bottom: steps, and headings for the items of a loop and the
 * branches of a `parallel`. A branch that is a single step of the same name needs no heading.
 */

import { defined } from '../../model/defined.ts';
import { itemText } from '../../model/item-name.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type {
  EarlierLoopVisit,
  EarlierVisit,
  LoopState,
  RunState,
  StateSteps,
  StepState,
} from '../../model/run-state.ts';

export type OutlineRow =
  | {
      readonly type: 'step';
      readonly depth: number;
      /** As in the journal: `Fix`, `Fix#2`. */
      readonly key: string;
      readonly name: string;
      readonly visit: number;
      /** The step has more than one visit. */
      readonly isRevisited: boolean;
      readonly step: StepState | EarlierVisit;
      /** On the first row of a step. */
      readonly description?: string;
    }
  | {
      readonly type: 'loop';
      readonly depth: number;
      readonly key: string;
      readonly name: string;
      readonly visit: number;
      /** The step has more than one visit. */
      readonly isRevisited: boolean;
      readonly loop: ShownLoop;
      readonly description?: string;
    }
  | {
      readonly type: 'item';
      readonly depth: number;
      readonly key: string;
      readonly index: number;
      readonly text: string;
    }
  | { readonly type: 'branch'; readonly depth: number; readonly key: string; readonly name: string }
  /** Completed items, or earlier visits, that are not shown one by one. */
  | { readonly type: 'left-out'; readonly depth: number; readonly count: number; readonly what: string };

export interface ShownLoop extends Pick<LoopState, 'started_at' | 'duration_ms' | 'failure_allowed'> {
  readonly status: string;
  readonly items: number;
  readonly completed: number;
  readonly error?: NonNullable<LoopState['error'] | EarlierLoopVisit['error']>;
}

export interface OutlineOptions {
  /** Most items shown in full per loop. In a longer loop, completed items are only counted. */
  readonly itemsShown: number;
  /** Most earlier visits shown per step, the last ones. */
  readonly visitsShown: number;
}

export const EVERYTHING: OutlineOptions = {
  itemsShown: Number.POSITIVE_INFINITY,
  visitsShown: Number.POSITIVE_INFINITY,
};

type Loops = RunState['for_each'];

interface Place {
  readonly path: string;
  readonly depth: number;
  /** The steps that called the workflow: `Call/`. */
  readonly calls: string;
  readonly loops: Loops;
}

export function outlineOf(run: RunState, options: OutlineOptions): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const describe = descriptionsIn(run);
  const walk = (steps: StateSteps, at: Place): void => {
    for (const [name, step] of Object.entries(steps)) {
      const own = at.path === '' ? name : `${at.path}/${name}`;
      if (isIterations(step)) walkLoop(name, { ...at, path: own }, step);
      else walkStep(name, { ...at, path: own }, step);
    }
  };
  const walkLoop = (name: string, at: Place, iterations: readonly StateSteps[]): void => {
    const { depth, loops } = at;
    const loop = loops[withoutVisits(at.path)] ?? NO_LOOP;
    const earlier = loop.earlier_visits ?? [];
    eachVisit(earlier, depth, (visit, index) => {
      const key = visitKey(at.path, index);
      const { items, items_completed, status = 'interrupted', ...rest } = visit;
      const { started_at, duration_ms, failure_allowed, error } = rest;
      rows.push({
        ...{
          type: 'loop',
          depth,
          key,
          name,
          visit: index + 1,
          isRevisited: true,
          ...describe(at.calls + name),
        },
        loop: {
          ...{ status, items, completed: items_completed },
          ...defined({ started_at, duration_ms, failure_allowed, error }),
        },
      });
      const inside = { ...at, path: key, loops: visit.for_each ?? {} };
      walkItems(visit.iterations ?? [], inside, visit.item_values ?? []);
    });
    const key = visitKey(at.path, earlier.length);
    const { started_at, duration_ms, failure_allowed, error } = loop;
    rows.push({
      ...{
        type: 'loop',
        depth,
        key,
        name,
        visit: earlier.length + 1,
        isRevisited: earlier.length > 0,
        ...describe(at.calls + name),
      },
      loop: {
        status: loop.status ?? 'running',
        items: loop.items_left_out ?? loop.items.length,
        completed: loop.completed_indices.length,
        ...defined({ started_at, duration_ms, failure_allowed, error }),
      },
    });
    walkItems(iterations, { ...at, path: key }, loop.items);
  };
  const walkStep = (name: string, at: Place, step: StepState): void => {
    const { depth } = at;
    const earlier = step.earlier_visits ?? [];
    eachVisit(earlier, depth, (visit, index) => {
      const key = visitKey(at.path, index);
      const row = {
        type: 'step',
        depth,
        key,
        name,
        visit: index + 1,
        isRevisited: true,
        step: visit,
      } as const;
      rows.push({ ...row, ...describe(at.calls + name) });
      walkInside(name, visit, { ...at, path: key, loops: visit.for_each ?? {} });
    });
    const key = visitKey(at.path, earlier.length);
    const visit = { visit: earlier.length + 1, isRevisited: earlier.length > 0 };
    const row = { type: 'step', depth, key, name, ...visit, step } as const;
    rows.push({ ...row, ...describe(at.calls + name) });
    walkInside(name, step, { ...at, path: key });
  };
  const eachVisit = <Visit>(
    visits: readonly Visit[],
    depth: number,
    show: (visit: Visit, index: number) => void,
  ): void => {
    const first = Math.max(0, visits.length - options.visitsShown);
    if (first > 0) rows.push({ type: 'left-out', depth, count: first, what: 'earlier visit' });
    for (const [index, visit] of visits.entries()) if (index >= first) show(visit, index);
  };
  const walkInside = (
    name: string,
    step: Pick<StepState, 'iterations' | 'branches' | 'steps'>,
    at: Place,
  ): void => {
    const { depth, path } = at;
    if (step.iterations !== undefined) walkItems(step.iterations, at, []);
    for (const [branch, inner] of Object.entries(step.branches ?? {})) {
      const names = Object.keys(inner);
      if (names.length === 1 && names[0] === branch) {
        walk(inner, { ...at, path: `${path}/${branch}`, depth: depth + 1 });
        continue;
      }
      rows.push({ type: 'branch', depth: depth + 1, key: `${path}/${branch}`, name: branch });
      walk(inner, { ...at, path: `${path}/${branch}`, depth: depth + 2 });
    }
    if (step.steps !== undefined) walk(step.steps, { ...at, depth: depth + 1, calls: `${at.calls}${name}/` });
  };
  const walkItems = (iterations: readonly StateSteps[], at: Place, items: readonly JsonValue[]): void => {
    const depth = at.depth + 1;
    let leftOut = 0;
    const leave = (): void => {
      if (leftOut > 0) rows.push({ type: 'left-out', depth, count: leftOut, what: 'completed item' });
      leftOut = 0;
    };
    for (const [index, steps] of iterations.entries()) {
      if (iterations.length > options.itemsShown && index < iterations.length - 1 && wentWell(steps)) {
        leftOut += 1;
        continue;
      }
      leave();
      const item = items[index];
      const text = item === undefined ? '' : itemText(item);
      const key = `${at.path}/${index}`;
      rows.push({ type: 'item', depth, key, index, text });
      walk(steps, { ...at, path: key, depth: depth + 1 });
    }
    leave();
  };
  walk(run.steps, { path: '', depth: 0, calls: '', loops: run.for_each });
  return rows;
}

const NO_LOOP: LoopState = { items: [], completed_indices: [], current_index: null };

/** The key of a visit in the journal, by how many came before it: `Fix`, `Fix#2`. */
function visitKey(key: string, before: number): string {
  return before === 0 ? key : `${key}#${before + 1}`;
}

/** Loops are found by the key of their first visit. */
function withoutVisits(key: string): string {
  return key.replace(/#\d+/g, '');
}

/** Each description is given out once: repeated for every item of a loop, it would hide the rest. */
function descriptionsIn(run: RunState): (path: string) => { readonly description?: string } {
  const known = run['step_descriptions'];
  const left = new Map(Object.entries(isJsonObject(known) ? known : {}));
  return (path) => {
    const description = left.get(path);
    left.delete(path);
    return typeof description === 'string' ? { description } : {};
  };
}

function wentWell(steps: StateSteps): boolean {
  return Object.values(steps).every((step) => {
    if (isIterations(step)) return step.every(wentWell);
    if (step.status !== 'completed' && step.status !== 'skipped') return false;
    return (
      (step.iterations ?? []).every(wentWell) &&
      Object.values(step.branches ?? {}).every(wentWell) &&
      wentWell(step.steps ?? {})
    );
  });
}

function isIterations(step: StepState | readonly StateSteps[]): step is readonly StateSteps[] {
  return Array.isArray(step);
}
