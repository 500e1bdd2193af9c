import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { readRequest, unreadable } from '../../operations/sessions/plan/read-request.ts';
import type { CliContext } from '../context.ts';
import { siteOf } from '../site.ts';

/** `-` is standard input. */
export async function readGiven(context: CliContext, path: string): Promise<Result<string, Problem>> {
  if (path !== '-') return readRequest(siteOf(context), path);
  const { readStandardInput } = await import('../../host/standard-input.ts');
  const read = await readStandardInput();
  return read.type === 'ok' ? ok(new TextDecoder().decode(read.value)) : error(unreadable(path, read.error));
}
