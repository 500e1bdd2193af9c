import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { readFirstRecord } from '../../store/journal-file.ts';
import type { FindRunProblem } from '../problem.ts';
import type { RunSource } from '../workers.ts';
import { type OfRuns, sourceOf } from './run-source.ts';

/** Finds a run by its id, a unique prefix of it, or `last`. */
export function findRun(site: OfRuns, asked: string): Result<RunId, FindRunProblem> {
  const source = sourceOf(site);
  const runIds = source.ids();
  const [newest] = runIds;
  if (newest === undefined) return error({ type: 'no-runs', asked });
  if (asked === 'last') return ok(lastOf(source, runIds) ?? newest);
  const found = asked === '' ? [] : runIds.filter((runId) => runId.startsWith(asked));
  const [only] = found;
  if (only !== undefined && found.length === 1) return ok(only);
  if (only !== undefined) return error({ type: 'several-runs', asked, found });
  return error({ type: 'no-such-run', asked, near: nearRuns(asked, runIds), newest: runIds.slice(0, 3) });
}

/** The newest real run: dry runs and single steps are skipped. */
export function lastOf(source: Pick<RunSource, 'pathsOf'>, runIds: readonly RunId[]): RunId | undefined {
  return runIds.find((runId) => {
    const first = readFirstRecord(source.pathsOf(runId).journal);
    return first?.type !== 'run-started' || first.facts['trial'] === undefined;
  });
}

function nearRuns(asked: string, runIds: readonly RunId[]): readonly RunId[] {
  const ends = runIds.map((runId) => runId.slice(-6));
  const near = nearest(asked, runIds) ?? nearest(asked, ends);
  return runIds.filter((runId) => near !== undefined && runId.endsWith(near));
}
