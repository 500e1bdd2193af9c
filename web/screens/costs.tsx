/** What did it cost, on which day, by which workflow, agent and model? */
import type { CostRow, Costs as CostsData } from '../../src/operations/runs/read-costs.ts';
import { Empty } from '../parts.tsx';
import { go, route, withQuery } from '../route.ts';
import { useData } from '../use-data.ts';
import { plural, spendingText, usdText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

type By = 'day' | 'workflow' | 'agent' | 'model';
type Found = { readonly days: number } & { readonly [Each in By]: CostsData };

const DAYS = ['7', '30', '90', '365'];

export function Costs({ ws }: { readonly ws: string }) {
  const days = route.value.query.get('days') ?? '30';
  const { value, problem } = useData<Found>(`w/${ws}/costs?days=${encodeURIComponent(days)}`);
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
      {value === undefined ? null : value.day.rows.length === 0 ? (
        <Empty
          text="No agent was called in this time. A workflow with an agent:"
          command="orchestrate demo"
        />
      ) : (
        <>
          <Days rows={value.day.rows} />
          <Table title="Workflow" rows={value.workflow.rows} />
          <Table title="Agent" rows={value.agent.rows} />
          <Table title="Model" rows={value.model.rows} />
        </>
      )}
    </ScreenPage>
  );
}

function Days({ rows }: { readonly rows: readonly CostRow[] }) {
  const most = Math.max(...rows.map(({ cost_usd }) => cost_usd), 0.000001);
  return (
    <div class="card">
      <div
        class="bars"
        role="img"
        aria-label={rows.map(({ name, cost_usd }) => `${name}: ${usdText(cost_usd)}`).join(', ')}
      >
        {rows.map((row) => (
          <div
            key={row.name}
            title={`${row.name}: ${spendingText(row) ?? ''}`}
            style={{ height: `${(100 * row.cost_usd) / most}%` }}
          />
        ))}
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
              <td>{row.name === '' ? <span class="faint">unknown</span> : row.name}</td>
              <td class="num">{row.runs}</td>
              <td class="num">{row.agent_calls}</td>
              <td class="num">
                {row.tokens.input.toLocaleString('en')}, {row.tokens.output.toLocaleString('en')}
              </td>
              <td class="num">{spendingText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
