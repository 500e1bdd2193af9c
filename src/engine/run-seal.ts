/** The sealed part of a run: its input, and every change of it, together with the run's id. */
import type { JournalEvent } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';
import type { Seals } from '../store/seal.ts';

export interface SealedPart {
  readonly runId: string;
  readonly program: string;
  readonly input: JsonValue;
}

function textOf({ runId, program, input }: SealedPart): string {
  return `run\n${runId}\n${program}\n${JSON.stringify(input)}`;
}

/** The seal as a member of the record. */
export function sealOf(seals: Seals | undefined, part: SealedPart): { readonly seal?: string } {
  const seal = seals?.seal(textOf(part));
  return seal === undefined ? {} : { seal };
}

/** Inputs and changes without this user's seal. Empty if all are the user's own. */
export function foreignInputs(events: readonly JournalEvent[], seals: Seals): readonly JsonValue[] {
  const begun = events.find((event) => event.type === 'run-started');
  if (begun === undefined) return [];
  const { runId, program } = begun;
  return events.flatMap((event) => {
    if (event.type !== 'run-started' && event.type !== 'run-resumed') return [];
    const { input, seal } = event;
    if (input === undefined || seals.isSealed(textOf({ runId, program, input }), seal)) return [];
    return [input];
  });
}
