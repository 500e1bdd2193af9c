import { WORKSPACE_STATUSES } from '../../iterate/workspace/metadata.ts';
import { loadWorkspace, workspaceNames } from '../../iterate/workspace/workspaces.ts';
import { agoText } from '../../report/text/amounts.ts';
import { renderTable } from '../../report/text/table.ts';
import { type IterateSite, refuse } from './site/site.ts';

export interface ListFlags {
  readonly status?: string;
  readonly json?: boolean;
}

export function list(site: IterateSite, flags: ListFlags): void {
  const { context, workspacesDir } = site;
  if (flags.status !== undefined && !(WORKSPACE_STATUSES as readonly string[]).includes(flags.status)) {
    refuse(context, `Invalid status: ${flags.status}. Use ${WORKSPACE_STATUSES.join(', ')}.`);
    return;
  }
  const loaded = workspaceNames(workspacesDir).map((name) => ({
    name,
    result: loadWorkspace(workspacesDir, name),
  }));
  for (const { name, result } of loaded) {
    if (result.type === 'error' && result.error.type === 'broken')
      context.err(`warning: workspace \`${name}\` cannot be read: ${result.error.message}\n`);
  }
  const shown = loaded
    .flatMap(({ result }) => (result.type === 'ok' ? [result.value.metadata] : []))
    .filter((metadata) => flags.status === undefined || metadata.status === flags.status);
  if (flags.json === true) {
    context.out(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  if (shown.length === 0) {
    context.err(
      flags.status === undefined
        ? 'No workspaces found. Create one: claude-iterate init <name>\n'
        : `No workspaces with status ${flags.status}.\n`,
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
      shown.map((metadata) => [
        metadata.name,
        metadata.status,
        metadata.mode,
        String(metadata.executionIterations),
        metadata.lastRun === undefined ? 'never' : agoText(metadata.lastRun, now),
      ]),
    ),
  );
}
