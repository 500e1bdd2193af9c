/**
 * Standard output and standard error.
 *
 * S1 Synchronous, so that nothing is lost at exit.
 * S2 Work is never stopped by a display that cannot be written. What standard output could not take is told at the end, by words and by
 *    the exit code (`main.ts`); talk that standard error could not take is gone.
 * S3 After a gap nothing more is written to standard output: a program that reads it finds an end that is cut off, never a hole.
 * S4 A reader that has gone away (`| head`) is no error.
 */
import fs from 'node:fs';

let lost: string | undefined;

/** Why standard output is not whole; undefined where it is. */
export function lostOutput(): string | undefined {
  return lost;
}

/** False: nobody reads any more, or it cannot be written. */
export function writeOut(bytes: Uint8Array): boolean {
  if (lost !== undefined) return false;
  const refused = writeAll(1, bytes);
  if (refused !== undefined) outputRefused(refused);
  return refused === undefined;
}

/** For what others write to it. */
export function outputRefused(code: string): void {
  if (code !== 'EPIPE') lost ??= code;
}

export function writeTalk(bytes: Uint8Array): void {
  writeAll(2, bytes);
}

/** The code of what the system refused it with. */
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
