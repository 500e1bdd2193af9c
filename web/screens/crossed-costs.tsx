/** What one thing cost by another: the day by the model, the workflow by the agent. */
import type { CostCell } from '../../src/operations/runs/read-costs.ts';
import { go, route, withQuery } from '../route.ts';
import { spendingText } from '../words.ts';

const BY = ['day', 'workflow', 'agent', 'model'] as const;
type By = (typeof BY)[number];
/** The dearest ones have a column of their own. */
const MOST_COLUMNS = 6;
const OTHERS = 'others';

type Sum = { cost_usd: number; agent_calls: number; unknown_cost_calls: number };

export function CrossedCosts({ cells }: { readonly cells: readonly CostCell[] }) {
  const { query } = route.value;
  const down = byIn(query.get('rows'), 'workflow');
  const across = byIn(query.get('columns'), down === 'model' ? 'agent' : 'model');
  const { rows, columns, sumAt } = crossed(cells, down, across);
  return (
    <section class="card" aria-label="Costs crossed">
      <div class="cardhead">
        <Choice name="rows" value={down} not={across} />
        <span class="faint">by</span>
        <Choice name="columns" value={across} not={down} />
        <span class="faint sub">the cost of each combination</span>
      </div>
      <div class="wide">
        <table class="plain">
          <thead>
            <tr>
              <th>{title(down)}</th>
              {columns.map((name) => (
                <th class={across === 'day' ? 'num date' : 'num'} key={name}>
                  {shown(name)}
                </th>
              ))}
              <th class="num">Total</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row" class={down === 'day' ? 'date' : ''}>
                  {shown(row)}
                </th>
                {columns.map((column) => (
                  <td class="num" key={column}>
                    <Amount sum={sumAt(row, column)} />
                  </td>
                ))}
                <td class="num">
                  <b>
                    <Amount sum={sumAt(row)} />
                  </b>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {columns.map((column) => (
                <td class="num" key={column}>
                  <Amount sum={sumAt(undefined, column)} />
                </td>
              ))}
              <td class="num">
                <b>
                  <Amount sum={sumAt()} />
                </b>
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

function Choice(props: { readonly name: 'rows' | 'columns'; readonly value: By; readonly not: By }) {
  return (
    <span class="chip">
      <select
        aria-label={props.name === 'rows' ? 'Rows' : 'Columns'}
        value={props.value}
        onChange={(event) => go(withQuery({ [props.name]: event.currentTarget.value }), true)}
      >
        {BY.filter((by) => by !== props.not).map((by) => (
          <option key={by} value={by}>
            {title(by)}
          </option>
        ))}
      </select>
    </span>
  );
}

function Amount({ sum }: { readonly sum: Sum | undefined }) {
  const text = sum === undefined ? undefined : spendingText(sum);
  return text === undefined ? (
    <span class="faint">–</span>
  ) : (
    <span>{text.replace('cost unknown', 'unknown')}</span>
  );
}

function title(by: By): string {
  return `${by[0]?.toUpperCase()}${by.slice(1)}`;
}

function shown(name: string): string {
  return name === '' ? 'not reported' : name;
}

function byIn(text: string | null, or: By): By {
  return BY.find((by) => by === text) ?? or;
}

interface Crossed {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Without a row or a column: over all of them. Undefined if no agent was called. */
  sumAt(row?: string, column?: string): Sum | undefined;
}

function crossed(cells: readonly CostCell[], down: By, across: By): Crossed {
  const dearest = names(cells, across);
  const columns = dearest.length > MOST_COLUMNS ? [...dearest.slice(0, MOST_COLUMNS - 1), OTHERS] : dearest;
  const columnOf = (cell: CostCell) => (columns.includes(cell[across]) ? cell[across] : OTHERS);
  const rows = names(cells, down);
  return {
    rows: down === 'day' ? rows.toSorted().reverse() : rows,
    columns: across === 'day' ? columns.toSorted() : columns,
    sumAt: (row, column) =>
      sumOf(
        cells.filter(
          (cell) =>
            (row === undefined || cell[down] === row) && (column === undefined || columnOf(cell) === column),
        ),
      ),
  };
}

/** Dearest first; among days, the newest: those are the ones of interest. */
function names(cells: readonly CostCell[], by: By): readonly string[] {
  const all = [...new Set(cells.map((cell) => cell[by]))];
  if (by === 'day') return all.sort().reverse();
  const cost = new Map(all.map((name) => [name, sumOf(cells.filter((cell) => cell[by] === name))]));
  return all.sort((a, b) => (cost.get(b)?.cost_usd ?? 0) - (cost.get(a)?.cost_usd ?? 0) || (a < b ? -1 : 1));
}

function sumOf(cells: readonly CostCell[]): Sum | undefined {
  if (cells.length === 0) return undefined;
  const sum: Sum = { cost_usd: 0, agent_calls: 0, unknown_cost_calls: 0 };
  for (const cell of cells) {
    sum.cost_usd += cell.cost_usd;
    sum.agent_calls += cell.agent_calls;
    sum.unknown_cost_calls += cell.unknown_cost_calls;
  }
  return sum;
}
