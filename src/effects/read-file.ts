import fs from 'node:fs';
import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import { fileFailure, openInside } from '../store/safe-path.ts';
import type { ReadFileInput, ReadFileOutput } from './contracts.ts';
import { rootAt } from './site-paths.ts';

const MAX_BYTES = 1024 * 1024;

/** Reads a text file of the workspace. A missing file is a result, not a failure. */
export const readFile: Effect<ReadFileInput, ReadFileOutput> = async ({ root, path, maxBytes }, { run }) => {
  const opened = openInside(rootAt(run, root), path, { to: 'read' });
  if (opened.type === 'error') {
    const isMissing = opened.error.type === 'file' && opened.error.code === 'ENOENT';
    return isMissing ? {} : { failure: opened.error };
  }
  const { fd } = opened.value;
  try {
    const limit = maxBytes ?? MAX_BYTES;
    const { size } = fs.fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, limit));
    const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
    const text = new TextDecoder('utf-8').decode(bytes.subarray(0, length));
    return size > limit ? { text: text.replace(/\uFFFD$/, ''), truncated: true } : { text };
  } catch (problem) {
    return { failure: fileFailure('read', path, problem) };
  } finally {
    closeFile(fd);
  }
};
