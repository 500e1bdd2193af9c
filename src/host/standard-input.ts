import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';

/** Reads standard input to its end. The error is a code such as `EISDIR`. */
export async function readStandardInput(): Promise<Result<Buffer, string>> {
  try {
    return ok(Buffer.concat(await process.stdin.toArray()));
  } catch (cause) {
    return error(errnoOf(cause));
  }
}
