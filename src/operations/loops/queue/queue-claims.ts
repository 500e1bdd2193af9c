/** What the file of the queue makes run: it is in the project, so it may come from another user or from an agent. */
import { join, relative } from 'node:path';
import { BUILTIN_AGENTS } from '../../../iterate/config/keys.ts';
import { QUEUE_FILE, type QueuedLoop } from '../../../iterate/workspace/queue.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import type { Result } from '../../../model/result.ts';
import type { NotTrusted } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { mayRun } from '../../trust/may-run.ts';
import type { Claim } from '../../trust-book.ts';
import type { Loops } from '../site/loops.ts';

/** Options that name a program, or allow an agent everything. */
const CLAIMED = ['agent', 'fallback', 'checks', 'skipsPermissions'] as const;

/** Checks that the user trusts the options of these loops. */
export function mayRunQueued(
  site: Site,
  loops: Loops,
  queued: readonly QueuedLoop[],
): Result<void, NotTrusted> {
  return mayRun(site, site.workspace, queueClaims(site, loops, queued));
}

/** Those of loops that have not ended. */
export function queueClaims(
  { workspace }: Pick<Site, 'workspace'>,
  { workspacesDir }: Pick<Loops, 'workspacesDir'>,
  queued: readonly QueuedLoop[],
): readonly Claim[] {
  const file = relative(workspace, join(workspacesDir, QUEUE_FILE));
  return queued
    .filter(({ endedAt }) => endedAt === undefined)
    .flatMap(({ name, options }) =>
      CLAIMED.flatMap((key) => {
        const value = (options as JsonObject)[key];
        return value === undefined || isHarmless(value) ? [] : [{ name: `${name}: ${key}`, value, file }];
      }),
    );
}

function isHarmless(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isHarmless);
  return value === false || (typeof value === 'string' && BUILTIN_AGENTS.includes(value));
}
