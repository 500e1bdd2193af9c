import { agoText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { type ListedLoop, listLoops } from '../../operations/loops/list-loops.ts';
import { limitText } from '../../report/text/limit.ts';
import { renderTable } from '../../report/text/table.ts';
import { answerOf, type IterateCommand } from './command.ts';
import { statusWords } from './status-words.ts';

export interface ListFlags {
  readonly status?: string;
  readonly json?: boolean;
}

export async function list(command: IterateCommand, { status, json }: ListFlags): Promise<void> {
  const { context, site, settings } = command;
  const listed = await answerOf(command, () => listLoops(site, { settings, status }));
  if (listed === undefined) return;
  const { found, unreadable } = listed;
  for (const { name, reason } of unreadable)
    context.err(`warning: workspace \`${name}\` cannot be read: ${reason}\n`);
  if (json === true) {
    context.out(`${JSON.stringify(found.map(asData), null, 2)}\n`);
    return;
  }
  if (found.length === 0) {
    context.err(
      status === undefined
        ? 'No workspaces found. Create one: claude-iterate init <name>\n'
        : `No workspaces with status ${status}.\n`,
    );
    return;
  }
  const now = Date.now();
  context.out(
    renderTable(
      [
        { title: 'NAME' },
        { title: 'STATUS' },
        { title: 'MODE' },
        { title: 'ITERATIONS', align: 'right' },
        { title: 'LAST RUN' },
      ],
      found.map((loop) => [
        loop.metadata.name,
        statusText(loop, now),
        loop.metadata.mode,
        String(loop.metadata.executionIterations),
        loop.metadata.lastRun === undefined ? 'never' : agoText(loop.metadata.lastRun, now),
      ]),
    ),
  );
}

function statusText({ metadata, isRunning, limit, left }: ListedLoop, now: number): string {
  if (limit !== undefined) return `${metadata.status} (${limitText(limit, now)})`;
  return isRunning ? `${metadata.status} (running)` : statusWords(metadata, left);
}

function asData({ metadata, isRunning, limit, left }: ListedLoop): object {
  const state = isRunning ? 'running' : left?.type;
  return { ...metadata, ...defined({ state, usageLimit: limit }) };
}
