/** What did it cost, on which day, by which workflow, agent and model? */

import type { CostRow, CostTable } from '../../src/operations/runs/read-costs.ts';
import { Empty } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural, spendingText, tokensText, usdText } from '../words.ts';
import { CrossedCosts } from './crossed-costs.tsx';
import { DearestSteps } from './dearest-steps.tsx';
import { ScreenPage } from './screen.tsx';

type Found = CostTable & { readonly days: number };

const DAYS = ['7', '30', '90', '365'];

export function Costs({ ws }: { readonly ws: string }) {
  const days = route.value.query.get('days') ?? '30';
  const { value, problem } = useLiveData<Found>(`w/${ws}/costs?days=${encodeURIComponent(days)}`, 'runs', {
    ms: 5000,
  });
  const total = value?.day.total;
  return (
    <ScreenPage
      title="Costs"
      problem={problem}
      sum={
        total === undefined
          ? ' '
          : `${spendingText(total) ?? 'No agent was called'} for ${plural(total.agent_calls, 'agent call')} in ${plural(total.runs, 'run')}, the last ${days} days.`
      }
    >
      <div class="filters">
        {DAYS.map((each) => (
          <button
            type="button"
            key={each}
            class="chip"
            aria-pressed={each === days}
            onClick={() => go(withQuery({ days: each }))}
          >
            {each} days
          </button>
        ))}
      </div>
      <NotIncluded ws={ws} runs={value?.day.damaged ?? []} />
      {value === undefined ? null : value.day.rows.length === 0 ? (
        <Empty
          text="No agent was called in this time. A workflow with an agent:"
          command="orchestrate demo"
        />
      ) : (
        <>
          <Days rows={value.day.rows} days={Number(days)} />
          <CrossedCosts cells={value.cells} />
          <Table title="Workflow" rows={value.workflow.rows} />
          <Table title="Agent" rows={value.agent.rows} />
          <Table title="Model" rows={value.model.rows} />
          <DearestSteps ws={ws} days={Number(days)} />
        </>
      )}
    </ScreenPage>
  );
}

/** Damaged runs: what they cost is in no sum. */
function NotIncluded({ ws, runs }: { readonly ws: string; readonly runs: readonly string[] }) {
  if (runs.length === 0) return null;
  return (
    <p class="banner">
      {plural(runs.length, 'run')} cannot be read and {runs.length === 1 ? 'is' : 'are'} not included:{' '}
      {runs.map((run, index) => (
        <span key={run}>
          {index === 0 ? '' : ', '}
          <a class="link" href={to(ws, 'runs', run)}>
            {run}
          </a>
        </span>
      ))}
    </p>
  );
}

function Days({ rows, days }: { readonly rows: readonly CostRow[]; readonly days: number }) {
  const known = Math.max(0, ...rows.map(({ cost_usd }) => cost_usd));
  const isKnown = rows.some((row) => row.unknown_cost_calls < row.agent_calls);
  const most = Math.max(known, 0.000001);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const all = Array.from({ length: days }, (_, index) => {
    const name = new Date(Date.now() - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { name, row: byName.get(name) };
  });
  return (
    <div class="card">
      <div
        class="bars"
        role="img"
        aria-label={rows.map((row) => `${row.name}: ${spendingText(row) ?? ''}`).join(', ')}
      >
        {all.map(({ name, row }) => (
          <div
            key={name}
            title={`${name}: ${row === undefined ? 'no agent call' : (spendingText(row) ?? '')}`}
            class={
              row === undefined ? 'none' : row.cost_usd === 0 && row.unknown_cost_calls > 0 ? 'unknown' : ''
            }
            style={{ height: `${row === undefined ? 0 : Math.max(3, (100 * row.cost_usd) / most)}%` }}
          />
        ))}
      </div>
      <div class="span faint" aria-hidden="true">
        <span>{all[0]?.name}</span>
        <span>{isKnown ? `${usdText(known)} at most` : 'no known cost'}</span>
        <span>{all.at(-1)?.name}</span>
      </div>
      <Table title="Day" rows={rows.toReversed()} />
    </div>
  );
}

function Table({ title, rows }: { readonly title: string; readonly rows: readonly CostRow[] }) {
  return (
    <div class={title === 'Day' ? '' : 'card'}>
      <table class="plain">
        <thead>
          <tr>
            <th>{title}</th>
            <th class="num">Runs</th>
            <th class="num">Calls</th>
            <th class="num">Tokens in, out</th>
            <th class="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td class={title === 'Day' ? 'date' : ''}>
                {row.name === '' ? <span class="faint">not reported</span> : row.name}
              </td>
              <td class="num">{row.runs}</td>
              <td class="num">{row.agent_calls}</td>
              <td class="num">{tokensText(row)}</td>
              <td class="num">{spendingText(row)?.replace('cost unknown', 'unknown')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
