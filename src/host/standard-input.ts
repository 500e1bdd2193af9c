import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';

/** To its end. The problem is the name of the error: `EISDIR`. */
export async function readStandardInput(): Promise<Result<Buffer, string>> {
  try {
    return ok(Buffer.concat(await process.stdin.toArray()));
  } catch (cause) {
    return error(errnoOf(cause));
  }
}
