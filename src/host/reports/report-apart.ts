/**
 * The report of a run, made by a process of its own: it reads the whole journal and renders every step, and a server that did so itself would answer
 * nobody else meanwhile.
 */
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import type { ProcessRequest } from '../../process/request.ts';
import { runProcess } from '../../process/run-process.ts';

/** Whoever waits for it learns then that it does not come. */
const LIMIT_MS = 5 * 60_000;

/** HTML. `program`: how this program is called. */
export async function reportApart(
  runId: RunId,
  { site, program }: { readonly site: Site; readonly program: readonly string[] },
): Promise<Result<Buffer, Problem>> {
  const printed: Buffer[] = [];
  const end = await runProcess({
    argv: [...program, 'report', runId, '--format', 'html'],
    cwd: site.workspace,
    env: defined(site.environment) as ProcessRequest['env'],
    ...{ stdin: { type: 'none' }, mask: [], timeoutMs: LIMIT_MS, signal: new AbortController().signal },
    stdout: { files: [], headBytes: 0, tailBytes: 0 },
    stderr: { files: [], headBytes: 0, tailBytes: 4096 },
    onOutput: (stream, chunk) => void (stream === 'stdout' ? printed.push(chunk) : undefined),
  });
  if (end.type === 'not-started') return notMade(describeFailure(end.failure));
  if (end.ended !== undefined) return notMade(`it took longer than ${LIMIT_MS / 60_000} minutes`);
  if (end.exitCode === 0) return ok(Buffer.concat(printed));
  const [said = ''] = end.stderr.tail.toString('utf8').split('\n');
  return notMade(said.replace(/^error: /, ''));
}

function notMade(reason: string): Result<never, Problem> {
  return error({ type: 'report-not-made', reason });
}
