import { shownSettings } from '../../iterate/notify-address.ts';
import { type Metadata, WORKSPACE_STATUSES } from '../../iterate/workspace/metadata.ts';
import { loadWorkspace, workspaceNames } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { LimitState } from '../../model/run-state.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type LeftState, leftStateOf } from './site/left-state.ts';
import { type OfLoops, openLoops } from './site/loops.ts';
import { isLoopRunning, usageLimitOf } from './site/usage-limit.ts';

export interface ListLoops extends OfLoops {
  readonly status?: string | undefined;
}

export interface ListedLoop {
  readonly metadata: Metadata;
  /** The process of its last run is alive. */
  readonly isRunning: boolean;
  /** The usage limit it is waiting for. */
  readonly limit?: LimitState;
  readonly left?: LeftState;
}

export interface ListedLoops {
  readonly found: readonly ListedLoop[];
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[];
}

export function listLoops(site: Site, asked: ListLoops): Result<ListedLoops, Problem> {
  const { status } = asked;
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  if (status !== undefined && !(WORKSPACE_STATUSES as readonly string[]).includes(status))
    return error({ type: 'invalid-loop-status', status, statuses: WORKSPACE_STATUSES });
  const { workspacesDir } = loops.value;
  const unreadable: { readonly name: string; readonly reason: string }[] = [];
  const found: ListedLoop[] = [];
  for (const name of workspaceNames(workspacesDir)) {
    const loaded = loadWorkspace(workspacesDir, name);
    if (loaded.type === 'error') {
      if (loaded.error.type === 'broken') unreadable.push({ name, reason: loaded.error.message });
      continue;
    }
    const { metadata } = loaded.value;
    if (status !== undefined && metadata.status !== status) continue;
    const limit = usageLimitOf(site, metadata);
    const isRunning = isLoopRunning(site, metadata);
    const left = isRunning ? undefined : leftStateOf(site, metadata);
    found.push({ metadata: shownSettings(metadata), isRunning, ...defined({ limit, left }) });
  }
  return ok({ found, unreadable });
}
