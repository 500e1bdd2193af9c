import fs from 'node:fs';
import { join } from 'node:path';
import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import { runPaths, runPathsIn } from '../../../store/layout.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';

export interface UnfinishedRollback {
  readonly to: number;
  /** The name of its record. */
  readonly record: string;
}

/** Where a rollback of this run records what it decided. */
export function rollbackRecord(runDirectory: string, name: string): string {
  return join(runPathsIn(runDirectory).merges, `${name}.json`);
}

/** A rollback whose process was killed after it had decided what to change. Before that, it has changed nothing. */
export function unfinishedRollback(site: Site, metadata: Metadata): UnfinishedRollback | undefined {
  const { run, rollback } = metadata;
  if (rollback?.begun === undefined || rollback.run !== run?.id) return undefined;
  const runId = parseRunId(rollback.run);
  if (runId === undefined) return undefined;
  const { directory } = runPaths(site.workspace, runId);
  const { to, record } = rollback.begun;
  return fs.existsSync(rollbackRecord(directory, record)) ? { to, record } : undefined;
}

/** A loop must not continue on files that are half rolled back. */
export function whyNotRolledBack(site: Site, name: string, metadata: Metadata): Problem | undefined {
  const begun = unfinishedRollback(site, metadata);
  return begun === undefined ? undefined : { type: 'unfinished-rollback', name, to: begun.to };
}
