/**
 * Standard output and standard error.
 *
 * S1 Synchronous, so that nothing is lost at exit.
 * S2 A failed write never stops the work. A failure on standard output is reported at the end, by a message and the exit code
 *    (`main.ts`); messages that standard error does not accept are lost.
 * S3 After a failed write, nothing more goes to standard output: a program that reads it finds it truncated, never with a gap.
 * S4 A reader that closes the pipe (`| head`) is not an error.
 */
import fs from 'node:fs';

let lost: string | undefined;

/** Why standard output is incomplete; undefined if it is complete. */
export function lostOutput(): string | undefined {
  return lost;
}

/** False if the pipe is closed or the write failed. */
export function writeOut(bytes: Uint8Array): boolean {
  if (lost !== undefined) return false;
  const refused = writeAll(1, bytes);
  if (refused !== undefined) outputRefused(refused);
  return refused === undefined;
}

/** Records a failed write by other code. */
export function outputRefused(code: string): void {
  if (code !== 'EPIPE') lost ??= code;
}

export function writeTalk(bytes: Uint8Array): void {
  writeAll(2, bytes);
}

/** The error code if the write failed. */
function writeAll(fd: number, bytes: Uint8Array): string | undefined {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(fd, bytes, done);
    } catch (problem) {
      const { code } = problem as NodeJS.ErrnoException;
      if (code !== 'EAGAIN') return code ?? String(problem);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return undefined;
}
