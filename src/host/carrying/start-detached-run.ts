/** Starts a run in a process of its own for doors that have no terminal. */
import { error, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import { type Detached, detach } from './detach.ts';

/** Its exit code if another process has the run. */
const HELD = 4;

export async function startDetachedRun(
  prepared: Prepared,
  { site, program }: { readonly site: Site; readonly program: readonly string[] },
): Promise<Result<Detached, Problem>> {
  const detached = await detach(prepared, {
    site,
    program: [...program, 'carry-out'],
    output: { quiet: true },
  });
  if (detached.type === 'ok') return detached;
  const [first = 'the run could not be started', ...rest] = detached.error.said
    .split('\n')
    .filter((line) => line !== '');
  const message = first.replace(/^error: /, '');
  if (detached.error.exitCode === HELD) return error({ type: 'run-held-elsewhere', reason: message });
  const help = rest.map((line) => line.replace(/^help: /, '')).join('; ');
  return error({ type: 'run-not-started', reason: message, ...(help === '' ? {} : { remedy: help }) });
}
