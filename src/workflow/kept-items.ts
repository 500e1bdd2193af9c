/**
 * Items of a loop that were completed before the workflow was changed (`resume --accept-changes`). They are replayed with the workflow
 * they ran with, so that nothing runs again or in addition for them.
 */
import type { JournalEvent } from '../model/event.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import { completedWork } from './completed-work.ts';
import type { ForEachStep, StepCommon, WorkflowDefinition } from './definition.ts';
import { stepPathOf, stepsByPath } from './step-paths.ts';

export interface KeptItems {
  /** The full key of the loop. */
  readonly loop: StepKey;
  readonly indices: readonly number[];
  readonly step: StepCommon & ForEachStep;
  /** Without its steps. */
  readonly definition: WorkflowDefinition;
}

/** The completed items of unfinished loops; `before` are those of earlier changes. */
export function keepItems(
  definition: WorkflowDefinition,
  events: readonly JournalEvent[],
  before: readonly KeptItems[],
): readonly KeptItems[] {
  const known = keptByKey(before);
  const steps = stepsByPath(definition);
  const added = [...completedWork(events).items].flatMap(([loop, indices]): KeptItems[] => {
    const step = steps.get(stepPathOf(definition, loop) ?? '');
    const fresh = [...indices].filter((index) => !known.has(stepKey(loop, index)));
    if (step?.type !== 'for-each' || fresh.length === 0) return [];
    return [{ loop, indices: fresh, step, definition: { ...definition, steps: [], finally: [] } }];
  });
  return [...before, ...added];
}

/** By the full key of the item. */
export function keptByKey(kept: readonly KeptItems[]): ReadonlyMap<StepKey, KeptItems> {
  return new Map(
    kept.flatMap((each) => each.indices.map((index) => [stepKey(each.loop, index), each] as const)),
  );
}
