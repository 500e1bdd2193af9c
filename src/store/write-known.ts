import { posix } from 'node:path';
import type { Failure } from '../model/failure.ts';
import type { KeptFile } from '../model/kept-file.ts';
import type { Result } from '../model/result.ts';
import { atPlace } from './pin-inside.ts';
import { WrittenFiles } from './written-files.ts';

export interface KnownFile {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  /** The record of `written-files.ts`, in a folder above the file. */
  readonly record: string;
  /** Need not survive a power loss: it can be made again. */
  readonly mayBeLost?: boolean;
}

/** Writes a file below `root` and creates its folder; a foreign file in its place is kept, and returned. */
export function writeKnown(
  root: string,
  { path, text, mode, record, mayBeLost = false }: KnownFile,
): Result<KeptFile | undefined, Failure> {
  const at = { operation: 'write', makeFolders: true };
  const name = posix.relative(posix.dirname(record), path);
  const done = atPlace(root, record, {
    ...at,
    use: (recordFile) => {
      const files = new WrittenFiles(recordFile);
      return atPlace(root, path, {
        ...at,
        use: (file) => {
          const written = files.write({ path: file, name }, text, { mode, mayBeLost });
          if (written.type === 'written') return written.kept;
          files.know(name, Buffer.from(text));
          return undefined;
        },
      });
    },
  });
  return done.type === 'ok' ? done.value : done;
}
