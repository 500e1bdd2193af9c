import { defined } from '../model/defined.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import type { Results } from '../model/results.ts';
import { type ContainerEnd as EndedContainer, asContainer as runContainer } from '../steps/container.ts';
import type { Leaving, StepCall, StepEnd } from './block.ts';

export { failureOf } from '../steps/container.ts';

export interface ContainerEnd extends EndedContainer {
  /** Inner results that later steps can see. */
  readonly inner?: ReadonlyMap<string, StepRecord>;
  /** Only if they are read. */
  readonly results?: Results;
  readonly leaving?: Leaving;
}

/** Runs a step that contains others. */
export async function asContainer(
  call: StepCall,
  begun: Extract<Note, { type: 'container' }>,
  run: () => Promise<ContainerEnd>,
): Promise<StepEnd> {
  const { record, retryKeys, end } = await runContainer(call, begun, run);
  return {
    record: { ...record, ...defined({ results: end.results }) },
    ...defined({ inner: end.inner, leaving: end.leaving }),
    retryKeys,
  };
}
