import { parseRunId } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import type { RunState } from '../../model/run-state.ts';
import { planningFigures, type SessionFile } from '../../session/document/session-file.ts';
import { readRunById } from '../runs/read-run.ts';
import type { Site } from '../site.ts';

/** The cost of each run that planned the session. The document has it when the run has ended; until then only its journal has. */
export function planningCost(site: Pick<Site, 'workspace'>, file: SessionFile): readonly Spent[] {
  return Object.entries(planningFigures(file)).flatMap(([id, { spent }]): readonly Spent[] => {
    const runId = parseRunId(id);
    const run = runId === undefined ? undefined : readRunById(site, runId);
    const recorded = spent === undefined ? [] : [spent];
    if (run?.type !== 'ok') return recorded;
    const { state } = run.value;
    return spent !== undefined && SETTLED.has(state.status) ? recorded : spentBy(state);
  });
}

/** A program that ended like this has recorded its cost, if it could. One that was resumed since has not. */
const SETTLED: ReadonlySet<string> = new Set(['completed', 'failed']);

function spentBy({ totals }: RunState): readonly Spent[] {
  const { cost_usd, agent_calls, unknown_cost_calls: unknown } = totals;
  if (agent_calls === 0) return [];
  if (unknown < agent_calls)
    return [{ costUsd: cost_usd, ...(unknown === 0 ? {} : { unknownCalls: unknown }) }];
  return [{ costUsd: null, ...(unknown === 1 ? {} : { unknownCalls: unknown - 1 }) }];
}
