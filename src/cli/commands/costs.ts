import { type Command, Option } from 'commander';
import { countText, numberText, usdText } from '../../model/amounts.ts';
import {
  COSTS_BY,
  type CostRow,
  type CostSum,
  type CostsBy,
  readCosts,
} from '../../operations/runs/read-costs.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { since } from '../since.ts';

interface CostsFlags {
  readonly since?: Date;
  readonly by: CostsBy;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--since <when>', 'only runs started since then: 30m, 12h, 7d, or a date', since)
    .addOption(
      new Option('--by <group>', 'add up by day (UTC), workflow, agent or model')
        .choices(COSTS_BY)
        .default('day'),
    )
    .option('--json', 'print as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate costs --since 7d --by model')
    .action(async (flags: CostsFlags) => {
      context.exitCode = await costs(context, flags);
    });
}

async function costs(context: CliContext, flags: CostsFlags): Promise<number> {
  const read = readCosts(await siteWithWorkers(context), { since: flags.since, by: flags.by });
  if (read.type === 'error') return refuse(context, read.error);
  const { rows, total, damaged } = read.value;
  if (flags.json === true) context.out(`${JSON.stringify(read.value, null, 2)}\n`);
  else if (rows.length === 0) context.err('no agent was called\n');
  else context.out(table(flags.by, rows, total));
  if (damaged.length > 0)
    context.err(
      `note: ${countText(damaged.length, 'run')} cannot be read and ${damaged.length === 1 ? 'is' : 'are'} not included: ${damaged.join(', ')}\n`,
    );
  return EXIT.done;
}

function table(by: CostsBy, rows: readonly CostRow[], total: CostSum): string {
  return renderTable(
    [
      { title: by.toUpperCase() },
      { title: 'RUNS', align: 'right' },
      { title: 'CALLS', align: 'right' },
      { title: 'TOKENS IN', align: 'right' },
      { title: 'TOKENS OUT', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'OF UNKNOWN COST' },
    ],
    [...rows.map((row) => cells(row.name === '' ? 'unknown' : row.name, row)), cells('total', total)],
  );
}

/** A cost that was not reported is counted, never shown as 0. */
function cells(name: string, sum: CostSum): readonly string[] {
  const { runs, agent_calls, unknown_cost_calls, unknown_token_calls, cost_usd, tokens } = sum;
  const some = unknown_token_calls === 0 ? '' : ' or more';
  const count = (tokensUsed: number): string =>
    unknown_token_calls === agent_calls ? 'unknown' : `${numberText(tokensUsed)}${some}`;
  return [
    printableLine(name),
    numberText(runs),
    numberText(agent_calls),
    count(tokens.input),
    count(tokens.output),
    unknown_cost_calls === agent_calls ? 'unknown' : usdText(cost_usd),
    unknown_cost_calls === 0 ? '' : countText(unknown_cost_calls, 'call'),
  ];
}
