import type { JournalEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { unreachable } from '../model/unreachable.ts';
import { type CompletedWork, completedWork } from './completed-work.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { innerSteps } from './inner-steps.ts';
import { stepPathOf, stepsByPath } from './step-paths.ts';

export interface ChangedSteps {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Changed and removed steps whose results are no longer valid. */
  readonly completed: readonly string[];
  /** The order of the steps that are in both has changed. */
  readonly reordered: boolean;
  /** Something other than the steps differs: providers, context, flow. */
  readonly settings: boolean;
}

/** The differences between the workflow a run was started with and the one now on disk. */
export function changedSteps(
  before: WorkflowDefinition,
  after: WorkflowDefinition,
  events: readonly JournalEvent[],
): ChangedSteps {
  const old = stepsByPath(before);
  const now = stepsByPath(after);
  const changed = [...now].filter(([path, step]) => {
    const earlier = old.get(path);
    return earlier !== undefined && !same(withoutInner(earlier), withoutInner(step));
  });
  const removed = [...old.keys()].filter((path) => !now.has(path));
  const work = completedWork(events);
  const done = pathsOf(before, work.done);
  const handled = pathsOf(before, work.handled);
  const completed = changed.filter(([path, step]) => {
    const earlier = old.get(path);
    if (earlier === undefined) return false;
    if (done.has(path) && !same(essenceOf(earlier), essenceOf(step))) return true;
    if (handled.has(path) && nextAfterFailure(earlier) !== nextAfterFailure(step)) return true;
    return blocksAt(before, path, work).some((block) => wouldRunDifferently(block, step));
  });
  return {
    changed: changed.map(([path]) => path),
    added: [...now.keys()].filter((path) => !old.has(path)),
    removed,
    completed: [...completed.map(([path]) => path), ...removed.filter((path) => done.has(path))],
    reordered: !same(
      [...old.keys()].filter((path) => now.has(path)),
      [...now.keys()].filter((path) => old.has(path)),
    ),
    settings: !same(withoutSteps(before), withoutSteps(after)),
  };
}

/** The steps, as `stepsByPath` names them, that these keys belong to. */
function pathsOf(definition: WorkflowDefinition, keys: Iterable<StepKey>): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const key of keys) {
    const path = stepPathOf(definition, key);
    if (path !== undefined) paths.add(path);
  }
  return paths;
}

/** A block that is not completed, with the completed work inside it. */
interface UnfinishedBlock {
  readonly step: Step;
  readonly items: readonly JsonValue[];
  /** Items and iterations, by number, in which something is completed. */
  readonly touched: ReadonlySet<number>;
}

function blocksAt(
  definition: WorkflowDefinition,
  path: string,
  work: CompletedWork,
): readonly UnfinishedBlock[] {
  const step = stepsByPath(definition).get(path);
  if (step === undefined || innerSteps(step).length === 0) return [];
  return [...work.unfinished]
    .filter(([key]) => stepPathOf(definition, key) === path)
    .map(([key, items]) => {
      const inside = [...work.done].filter((each) => each.startsWith(`${key}/`));
      const numbers = inside.map((each) => Number.parseInt(each.slice(key.length + 1), 10));
      return { step, items, touched: new Set([...numbers, ...(work.items.get(key) ?? [])]) };
    });
}

/**
 * Whether the completed part of a block would not be the same with the changed step. The block's own `on`, `when`, limits and the steps
 * of its unfinished items may change; completed items are replayed as they ran (`kept-items.ts`).
 */
function wouldRunDifferently({ step, items, touched }: UnfinishedBlock, changed: Step): boolean {
  if (touched.size === 0) return false;
  if (step.type !== changed.type) return true;
  if (step.type === 'repeat') return !same(namesIn(step), namesIn(changed));
  if (step.type !== 'for-each' || changed.type !== 'for-each' || same(step.items, changed.items))
    return false;
  const { items: now } = changed;
  const list = now.type === 'list' && typeof now.list !== 'string' ? now.list : undefined;
  return list === undefined || [...touched].some((index) => !same(list[index], items[index]));
}

function namesIn(step: Step): unknown {
  return innerSteps(step).map((steps) => steps.map(({ name }) => name));
}

function nextAfterFailure({ on }: Step): string | undefined {
  return on.always ?? on.failure;
}

/** The step without its description, which changes nothing, and without its inner steps, which are compared one by one. */
function withoutInner({ description: _, ...step }: Step): unknown {
  switch (step.type) {
    case 'for-each':
    case 'repeat':
      return { ...step, steps: step.steps.map(({ name }) => name) };
    case 'parallel':
      return {
        ...step,
        branches: step.branches.map(({ name, steps }) => ({ name, steps: steps.map((inner) => inner.name) })),
      };
    case 'graph':
      return { ...step, nodes: step.nodes.map(({ needs, step: { name } }) => ({ name, needs })) };
    case 'call':
      return { ...step, workflow: withoutSteps(step.workflow) };
    case 'approve':
    case 'break':
    case 'end':
    case 'command':
    case 'program':
    case 'provider':
    case 'wait':
      return step;
    default:
      return unreachable(step);
  }
}

/** Without timeouts, retries, other limits and what happens after a failure: changing these does not invalidate a result. */
function essenceOf(step: Step): unknown {
  const { retry, timeoutMs, idleTimeoutMs, worker, maxVisits, agent, allowFailure, on, ...rest } =
    withoutInner(step) as Step;
  const { maxParallel, maxIterations, delayMs, onExhausted, onItemFailure, ...essence } = rest as {
    readonly [key: string]: unknown;
  };
  return { ...essence, next: on.always ?? on.success };
}

function withoutSteps(definition: WorkflowDefinition): unknown {
  const { steps: _steps, finally: _finally, description: _description, ...rest } = definition;
  return rest;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
