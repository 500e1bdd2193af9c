import { join } from 'node:path';
import type { KeptFile } from '../../model/kept-file.ts';
import { visible } from '../../model/visible.ts';
import { WrittenFiles } from '../../store/written-files.ts';
import { besideName, type SessionPaths } from '../layout.ts';

/** Writes and removes views of a session, by their names in its folder, and records the results. */
export interface ViewWriter {
  write(name: string, text: string): void;
  /** A file of another tool or a person stays in place, and the view is written beside it, as `IMPL_PLAN.generated.md`. */
  writeBeside(name: string, text: string): void;
  isForeign(name: string): boolean;
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
  const write = (name: string, text: string): void => {
    const done = files.write(at(name), visible(text), { mode: 0o644, mayLag: true });
    if (done.type === 'unchanged') return;
    written.push(name);
    if (done.kept !== undefined) kept.push(done.kept);
  };
  return {
    written,
    removed,
    kept,
    write,
    writeBeside(name, text) {
      const isOfOthers = files.isForeign(at(name)) && !files.hasWritten(name);
      write(isOfOthers ? besideName(name) : name, text);
    },
    isForeign: (name) => files.isForeign(at(name)),
    remove(name) {
      if (files.remove(at(name))) removed.push(name);
    },
  };
}
