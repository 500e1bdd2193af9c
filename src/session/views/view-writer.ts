import { join } from 'node:path';
import type { KeptFile } from '../../model/kept-file.ts';
import { visible } from '../../model/visible.ts';
import { WrittenFiles } from '../../store/written-files.ts';
import type { SessionPaths } from '../layout.ts';

/** Writes and removes views of a session, by their names in its folder, and records the results. */
export interface ViewWriter {
  write(name: string, text: string): void;
  /** Only if this program wrote it. */
  remove(name: string): void;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly kept: readonly KeptFile[];
}

export function createViewWriter(paths: SessionPaths): ViewWriter {
  const files = new WrittenFiles(paths.written);
  const written: string[] = [];
  const removed: string[] = [];
  const kept: KeptFile[] = [];
  const at = (name: string) => ({ path: join(paths.folder, name), name });
  return {
    written,
    removed,
    kept,
    write(name, text) {
      const done = files.write(at(name), visible(text), { mode: 0o644, mayLag: true });
      if (done.type === 'unchanged') return;
      written.push(name);
      if (done.kept !== undefined) kept.push(done.kept);
    },
    remove(name) {
      if (files.remove(at(name))) removed.push(name);
    },
  };
}
