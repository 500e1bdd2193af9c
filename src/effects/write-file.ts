import { posix } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import type { EffectOutput } from '../model/record.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { atPlace } from '../store/pin-inside.ts';
import { keptText, WrittenFiles } from '../store/written-files.ts';
import type { WriteFileInput } from './contracts.ts';

/** Puts a whole file into the workspace, its folder too; there is the old one or the new one, never a part. */
export const writeFile: Effect<WriteFileInput, EffectOutput> = async (
  { root, path, text, mode = 0o644, record },
  { run, emit },
) => {
  const workspace = root ?? run.workspace;
  const at = { operation: 'write', makeFolders: true };
  const replace = (file: string): void => replaceFile(file, text, { mode });
  if (record === undefined) {
    const done = atPlace(workspace, path, { ...at, use: replace });
    return done.type === 'error' ? { failure: done.error } : {};
  }
  const name = posix.relative(posix.dirname(record), path);
  const done = atPlace(workspace, record, {
    ...at,
    use: (recordFile) => {
      const files = new WrittenFiles(recordFile);
      return atPlace(workspace, path, {
        ...at,
        use: (file) => files.write({ path: file, name }, text, { mode }),
      });
    },
  });
  const written = done.type === 'ok' ? done.value : done;
  if (written.type === 'error') return { failure: written.error };
  const kept = written.value.type === 'written' ? written.value.kept : undefined;
  if (kept !== undefined) {
    const folder = posix.dirname(record);
    emit({ type: 'message', text: keptText(kept, folder === '.' ? undefined : folder) });
  }
  return {};
};
