import { type Metadata, WORKSPACE_STATUSES } from '../../iterate/workspace/metadata.ts';
import { loadWorkspace, workspaceNames } from '../../iterate/workspace/workspaces.ts';
import type { LimitState } from '../../model/run-state.ts';
import { agoText } from '../../report/text/amounts.ts';
import { limitText } from '../../report/text/limit.ts';
import { renderTable } from '../../report/text/table.ts';
import { type IterateSite, refuse } from './site/site.ts';
import { usageLimitOf } from './site/usage-limit.ts';

export interface ListFlags {
  readonly status?: string;
  readonly json?: boolean;
}

interface Listed {
  readonly metadata: Metadata;
  readonly limit: LimitState | undefined;
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
    .filter((metadata) => flags.status === undefined || metadata.status === flags.status)
    .map((metadata) => ({ metadata, limit: usageLimitOf(context, metadata) }));
  if (flags.json === true) {
    context.out(`${JSON.stringify(shown.map(withLimit), null, 2)}\n`);
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
      shown.map(({ metadata, limit }) => [
        metadata.name,
        limit === undefined ? metadata.status : `${metadata.status} (${limitText(limit, now)})`,
        metadata.mode,
        String(metadata.executionIterations),
        metadata.lastRun === undefined ? 'never' : agoText(metadata.lastRun, now),
      ]),
    ),
  );
}

function withLimit({ metadata, limit }: Listed): object {
  return limit === undefined ? metadata : { ...metadata, usageLimit: limit };
}
