import { carryOut } from '../../host/carrying/carry-out.ts';
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import type { Site } from '../../operations/site.ts';
import { orThrow } from '../embedded/refusal.ts';
import { endOf } from '../embedded/run-end.ts';
import type { RunEnd } from '../orchestrator-types.ts';
import type { TestOptions } from '../testing-types.ts';
import { standIns } from './stand-ins.ts';

export interface Rehearsing {
  readonly site: Site;
  readonly dist: string;
  readonly options: TestOptions<unknown>;
  readonly now: string;
}

export interface Rehearsed {
  readonly end: RunEnd;
  readonly events: readonly RunEvent[];
}

/** Carries out a plan with stand-ins. Rejects if one is missing. */
export async function rehearse(prepared: Prepared, rehearsing: Rehearsing): Promise<Rehearsed> {
  const { site, dist, options, now } = rehearsing;
  const rehearsal = standIns(options, now);
  const events: RunEvent[] = [];
  const carried = await carryOut(prepared.plan, {
    ...{ site, dist, rehearsal, showsOutput: false, signal: new AbortController().signal },
    ...defined({ history: prepared.history }),
    onEvent: (event) => void events.push(event),
    onProblem: () => undefined,
  });
  const ended = orThrow(carried);
  if (rehearsal.missing.size > 0) throw new Error([...rehearsal.missing].join('\n'));
  const state = orThrow(readWholeRun(site, prepared.plan.runId)).state;
  return { events, end: endOf(ended, state) };
}
