import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import type { Step, WorkflowDefinition } from './definition.ts';

export interface ChangedSteps {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Of the changed and removed ones, those that the run has completed: their results would no longer be true. */
  readonly completed: readonly string[];
  /** Something besides the steps differs: providers, context, flow. */
  readonly settings: boolean;
}

/** What differs between the workflow a run was started with and the one on disk now. */
export function changedSteps(
  before: WorkflowDefinition,
  after: WorkflowDefinition,
  events: readonly JournalEvent[],
): ChangedSteps {
  const old = topSteps(before);
  const now = topSteps(after);
  const changed = [...now]
    .filter(([name, step]) => old.has(name) && !same(old.get(name), step))
    .map(([name]) => name);
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const done = completedSteps(events);
  return {
    changed,
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed,
    completed: [...changed, ...removed].filter((name) => done.has(name)),
    settings: !same(withoutSteps(before), withoutSteps(after)),
  };
}

function topSteps(definition: WorkflowDefinition): Map<string, Step> {
  return new Map([...definition.steps, ...definition.finally].map((step) => [step.name, step]));
}

/** A step has results of its own, or inside it. */
function completedSteps(events: readonly JournalEvent[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const event of events) {
    if (event.type === 'step-ended') names.add(topName(event.key));
  }
  return names;
}

function topName(key: StepKey): string {
  return (ownerOf(key).split('/')[0] ?? '').replace(/#\d+$/, '');
}

function withoutSteps(definition: WorkflowDefinition): unknown {
  const { steps: _steps, finally: _finally, ...rest } = definition;
  return rest;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
