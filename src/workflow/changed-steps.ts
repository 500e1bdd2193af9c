import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import { notedIn } from '../model/noted.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
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
  const done = pathsWithResults(before, events);
  const completed = changed.filter(([path, step]) => {
    const earlier = old.get(path);
    return done.has(path) && !(earlier !== undefined && same(essenceOf(earlier), essenceOf(step)));
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

/** Completed and skipped steps, and blocks that have started: their work would be done differently now. */
function pathsWithResults(
  definition: WorkflowDefinition,
  events: readonly JournalEvent[],
): ReadonlySet<string> {
  const done = new Set<StepKey>();
  const begun = new Set<StepKey>();
  for (const event of events) {
    if (event.type === 'question-answered') done.add(event.key);
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const noted = notedIn(event);
    if (noted === undefined) {
      if (ownerOf(event.key) === event.key) keepIf(done, event.key, event.output['failure'] === undefined);
    } else if (noted.type === 'container') begun.add(noted.key);
    else if (noted.type === 'record' && noted.record.status !== undefined) {
      keepIf(done, noted.key, noted.record.status !== 'failed');
    }
  }
  const paths = new Set<string>();
  for (const key of [...done, ...begun]) {
    const path = stepPathOf(definition, key);
    if (path !== undefined) paths.add(path);
  }
  return paths;
}

function keepIf(keys: Set<StepKey>, key: StepKey, isKept: boolean): void {
  if (isKept) keys.add(key);
  else keys.delete(key);
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
    case 'call':
      return { ...step, workflow: withoutSteps(step.workflow) };
    case 'approve':
    case 'command':
    case 'provider':
    case 'wait':
      return step;
    default:
      return unreachable(step);
  }
}

/** Without timeouts, retries and other limits: changing these does not invalidate a result. */
function essenceOf(step: Step): unknown {
  const { retry, timeoutMs, idleTimeoutMs, maxVisits, agent, allowFailure, ...rest } = withoutInner(
    step,
  ) as Step;
  const { maxParallel, maxIterations, delayMs, onExhausted, onItemFailure, ...essence } = rest as {
    readonly [key: string]: unknown;
  };
  return essence;
}

function withoutSteps(definition: WorkflowDefinition): unknown {
  const { steps: _steps, finally: _finally, description: _description, ...rest } = definition;
  return rest;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
