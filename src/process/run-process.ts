/** Runs one process to its end. What it leaves running in the background after a normal exit is the caller's to end. */
import { randomBytes } from 'node:crypto';
import { addMark } from './environment.ts';
import type { ProcessEnd, ProcessRequest } from './request.ts';
import { runPiped } from './run-piped.ts';

export type RunProcess = (request: ProcessRequest) => Promise<ProcessEnd>;

export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
  if (request.signal.aborted) return { type: 'not-started', failure: { type: 'cancelled' } };
  const mark = randomBytes(9).toString('base64url');
  return await runPiped({ ...request, env: addMark(request.env, mark), mark });
}
