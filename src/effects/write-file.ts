import { posix } from 'node:path';
import type { Effect } from '../engine/durable.ts';
import { keptText } from '../model/kept-file.ts';
import type { EffectOutput } from '../model/record.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { atPlace } from '../store/pin-inside.ts';
import { writeKnown } from '../store/write-known.ts';
import type { WriteFileInput } from './contracts.ts';
import { rootAt } from './site-paths.ts';

const AT = { operation: 'write', makeFolders: true };
const MODE = 0o644;

/** Writes a whole file into the workspace and creates its folder; readers see the old or the new version, never a part. */
export const writeFile: Effect<WriteFileInput, EffectOutput> = async (input, { run, emit }) => {
  const { path, text, mode = MODE, record } = input;
  const root = rootAt(run, input.root);
  if (record === undefined) {
    const done = atPlace(root, path, { ...AT, use: (file) => replaceFile(file, text, { mode }) });
    return done.type === 'error' ? { failure: done.error } : {};
  }
  const done = writeKnown(root, { path, text, mode, record });
  if (done.type === 'error') return { failure: done.error };
  const folder = posix.dirname(record);
  if (done.value !== undefined)
    emit({ type: 'message', text: keptText(done.value, folder === '.' ? undefined : folder) });
  return {};
};
