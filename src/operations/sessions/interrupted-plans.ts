import { parseRunId } from '../../model/ids.ts';
import type { Spent } from '../../model/record.ts';
import type { SessionFile } from '../../session/document/session-file.ts';
import { readRunById } from '../runs/read-run.ts';
import type { Site } from '../site.ts';

/** The cost of plans that did not come to their end: a killed run has no part in the session's document. */
export function interruptedPlans(
  site: Pick<Site, 'workspace'>,
  { planning_runs: runs = [] }: SessionFile,
): readonly Spent[] {
  return runs.flatMap((id): readonly Spent[] => {
    const runId = parseRunId(id);
    const run = runId === undefined ? undefined : readRunById(site, runId);
    if (run?.type !== 'ok' || SETTLED.has(run.value.state.status)) return [];
    const { cost_usd, agent_calls, unknown_cost_calls: unknown } = run.value.state.totals;
    if (agent_calls === 0) return [];
    if (unknown < agent_calls)
      return [{ costUsd: cost_usd, ...(unknown === 0 ? {} : { unknownCalls: unknown }) }];
    return [{ costUsd: null, ...(unknown === 1 ? {} : { unknownCalls: unknown - 1 }) }];
  });
}

/** The program has recorded its cost before it ended like this. */
const SETTLED: ReadonlySet<string> = new Set(['completed', 'failed']);
