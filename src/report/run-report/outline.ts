/**
 * The tree of a run's steps, flattened into rows to read from top to bottom: steps, and headings for the items of a loop and the
 * branches of a `parallel`. A branch that is a single step of the same name needs no heading.
 */
import { isJsonObject, type JsonValue, jsonText } from '../../model/json.ts';
import type { LoopState, RunState, StateSteps, StepState } from '../../model/run-state.ts';

export type OutlineRow =
  | {
      readonly type: 'step';
      readonly depth: number;
      readonly key: string;
      readonly name: string;
      readonly step: StepState;
      /** On the first row of a step. */
      readonly description?: string;
    }
  | {
      readonly type: 'loop';
      readonly depth: number;
      readonly key: string;
      readonly name: string;
      readonly loop: LoopState;
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
  /** Completed items that are not shown one by one. */
  | { readonly type: 'left-out'; readonly depth: number; readonly count: number };

export interface OutlineOptions {
  /** Most items shown in full per loop. In a longer loop, completed items are only counted. */
  readonly itemsShown: number;
}

export function outlineOf(run: RunState, options: OutlineOptions): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const describe = descriptionsIn(run);
  /** `calls` names the steps that called the workflow: `Call/`. */
  const walk = (steps: StateSteps, path: string, at: { depth: number; calls: string }): void => {
    const { depth, calls } = at;
    for (const [name, step] of Object.entries(steps)) {
      const key = path === '' ? name : `${path}/${name}`;
      const description = describe(calls + name);
      if (isIterations(step)) {
        const loop = loopAt(run, key);
        rows.push({ type: 'loop', depth, key, name, loop, ...description });
        walkItems(step, { key, depth: depth + 1, calls, items: loop.items });
        continue;
      }
      rows.push({ type: 'step', depth, key, name, step, ...description });
      if (step.iterations !== undefined)
        walkItems(step.iterations, { key, depth: depth + 1, calls, items: [] });
      for (const [branch, inner] of Object.entries(step.branches ?? {})) {
        const names = Object.keys(inner);
        if (names.length === 1 && names[0] === branch) {
          walk(inner, `${key}/${branch}`, { depth: depth + 1, calls });
          continue;
        }
        rows.push({ type: 'branch', depth: depth + 1, key: `${key}/${branch}`, name: branch });
        walk(inner, `${key}/${branch}`, { depth: depth + 2, calls });
      }
      if (step.steps !== undefined) walk(step.steps, key, { depth: depth + 1, calls: `${calls}${name}/` });
    }
  };
  const walkItems = (
    iterations: readonly StateSteps[],
    at: {
      readonly key: string;
      readonly depth: number;
      readonly calls: string;
      readonly items: readonly JsonValue[];
    },
  ): void => {
    let leftOut = 0;
    for (const [index, steps] of iterations.entries()) {
      if (iterations.length > options.itemsShown && index < iterations.length - 1 && wentWell(steps)) {
        leftOut += 1;
        continue;
      }
      if (leftOut > 0) rows.push({ type: 'left-out', depth: at.depth, count: leftOut });
      leftOut = 0;
      const item = at.items[index];
      const text = item === undefined ? '' : jsonText(item);
      rows.push({ type: 'item', depth: at.depth, key: `${at.key}/${index}`, index, text });
      walk(steps, `${at.key}/${index}`, { depth: at.depth + 1, calls: at.calls });
    }
    if (leftOut > 0) rows.push({ type: 'left-out', depth: at.depth, count: leftOut });
  };
  walk(run.steps, '', { depth: 0, calls: '' });
  return rows;
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

function loopAt(run: RunState, key: string): LoopState {
  return run.for_each[key] ?? { items: [], completed_indices: [], current_index: null };
}

function isIterations(step: StepState | readonly StateSteps[]): step is readonly StateSteps[] {
  return Array.isArray(step);
}
