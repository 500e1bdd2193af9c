/** The steps of all runs of a time that cost most. */

import { useEffect, useState } from 'preact/hooks';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import type { StepRow, StepsFound } from '../../src/operations/live/step-row.ts';
import { getJson, type RunsFound } from '../api.ts';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { durationText, stepCostText } from '../words.ts';

const SHOWN = 10;
/** Each is read whole for its steps. */
const MOST_RUNS = 20;
const DAY_MS = 86_400_000;

interface DearStep {
  readonly run: RunSummary;
  readonly row: StepRow;
}

interface Found {
  readonly steps: readonly DearStep[];
  /** Set if only the steps of so many runs were compared. */
  readonly ofRuns?: number;
}

function costOf({ row }: DearStep): number {
  return row.cost_usd ?? 0;
}

/** Undefined: the run was removed meanwhile. */
async function stepsOf(ws: string, run: RunSummary): Promise<readonly DearStep[] | undefined> {
  const at = `w/${ws}/runs/${run.run_id}/steps?sort=dearest&limit=${SHOWN}`;
  const found = await getJson<StepsFound>(at).catch(() => undefined);
  return found?.rows.map((row) => ({ run, row })).filter((step) => costOf(step) > 0);
}

/** No step costs more than its run, so the runs that cost less than all steps found so far are not read. */
async function findDearest(ws: string, runs: readonly RunSummary[]): Promise<Found> {
  const byCost = runs
    .filter(({ totals }) => totals.cost_usd > 0)
    .sort((a, b) => b.totals.cost_usd - a.totals.cost_usd);
  let steps: readonly DearStep[] = [];
  for (const [index, run] of byCost.entries()) {
    const last = steps[SHOWN - 1];
    if (last !== undefined && costOf(last) >= run.totals.cost_usd) break;
    if (index === MOST_RUNS) return { steps, ofRuns: MOST_RUNS };
    const more = (await stepsOf(ws, run)) ?? [];
    steps = [...steps, ...more].sort((a, b) => costOf(b) - costOf(a)).slice(0, SHOWN);
  }
  return { steps };
}

export function DearestSteps({ ws, days }: { readonly ws: string; readonly days: number }) {
  const [{ steps, ofRuns }, setFound] = useState<Found>({ steps: [] });
  const { value } = useLiveData<RunsFound>(`w/${ws}/runs?limit=500`, 'runs', { ms: 5000 });
  useEffect(() => {
    let isAsked = true;
    const since = Date.now() - days * DAY_MS;
    const runs = (value?.runs ?? []).filter(({ started_at }) => Date.parse(started_at) >= since);
    void findDearest(ws, runs).then((found) => (isAsked ? setFound(found) : undefined));
    return () => {
      isAsked = false;
    };
  }, [value, ws, days]);
  if (steps.length === 0) return null;
  return (
    <section class="card" aria-label="Dearest steps">
      <table class="plain">
        <thead>
          <tr>
            <th>Dearest steps{ofRuns === undefined ? '' : ` of the ${ofRuns} dearest runs`}</th>
            <th>Run</th>
            <th class="num">Took</th>
            <th class="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ run, row }) => (
            <tr key={`${run.run_id} ${row.key}`}>
              <td>
                <a class="link" href={`${to(ws, 'runs', run.run_id)}?step=${encodeURIComponent(row.key)}`}>
                  {row.key}
                </a>{' '}
                <span class="faint">{row.agent}</span>
              </td>
              <td>{run.title}</td>
              <td class="num">{durationText(row.duration_ms ?? 0)}</td>
              <td class="num">{stepCostText(row)?.replace('cost unknown', 'unknown')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
