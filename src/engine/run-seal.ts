/** Which text of a run is sealed: what it was started with, and every change of that, with the run it belongs to. */
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

/** As a member of the record. */
export function sealOf(seals: Seals | undefined, part: SealedPart): { readonly seal?: string } {
  const seal = seals?.seal(textOf(part));
  return seal === undefined ? {} : { seal };
}

/** What the run was started with, or changed to, without the seal of this user. None: it is the user's own. */
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
