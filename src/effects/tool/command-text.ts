import fs from 'node:fs';
import { dirname } from 'node:path';
import type { EffectContext } from '../../engine/durable.ts';
import { closeFile } from '../../model/close-file.ts';
import { errnoOf } from '../../store/errno.ts';
import { runPathsIn, stepLog } from '../../store/layout.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { openPlain, openPlainTo, readPlain } from '../../store/plain-file.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import { writeWhole } from '../../store/write-whole.ts';
import { type OutputSite, shortened, TEXT_BYTES, type ToolText } from './tool-text.ts';

const COPY_BYTES = 1 << 20;
const STDERR_TITLE = '--- standard error ---\n';

/** A command's output from its logs: standard output, then standard error under a title. */
export function commandText(context: EffectContext, site: OutputSite): ToolText {
  const { outputFile } = site;
  const paths = runPathsIn(context.run.directory);
  const [stdout, stderr] = (['stdout', 'stderr'] as const).map((stream) =>
    stepLog(paths, { key: context.key, attempt: context.attempt, stream }),
  );
  const parts: Part[] = [];
  if (sizeOf(stdout) > 0) parts.push({ file: stdout ?? '' });
  if (sizeOf(stderr) > 0) parts.push({ text: STDERR_TITLE }, { file: stderr ?? '' });
  const bytes = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  if (bytes <= TEXT_BYTES) return { text: Buffer.concat(parts.map(wholeOf)).toString('utf8') };
  joinInto(outputFile, parts);
  return { text: shortened(endsOf(outputFile, bytes), bytes, site), wholeIn: outputFile };
}

type Part = { readonly file: string } | { readonly text: string };

function lengthOf(part: Part): number {
  return 'file' in part ? sizeOf(part.file) : Buffer.byteLength(part.text);
}

function wholeOf(part: Part): Buffer {
  return 'file' in part ? readPlain(part.file) : Buffer.from(part.text);
}

/** A command that printed nothing has no log. */
function sizeOf(file: string | undefined): number {
  try {
    return fs.statSync(file ?? '').size;
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return 0;
    throw cause;
  }
}

function joinInto(target: string, parts: readonly Part[]): void {
  makeOneFolder(dirname(target));
  const temporary = temporaryPath(target);
  const fd = openPlainTo(temporary, { to: 'create' });
  try {
    for (const part of parts) {
      if ('file' in part) copyFrom(part.file, fd);
      else writeWhole(fd, Buffer.from(part.text));
    }
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(temporary, target);
}

function copyFrom(file: string, to: number): void {
  const from = openPlain(file);
  const chunk = Buffer.allocUnsafe(COPY_BYTES);
  try {
    for (let got = -1; got !== 0; ) {
      got = fs.readSync(from, chunk, 0, chunk.length, null);
      writeWhole(to, chunk.subarray(0, got));
    }
  } finally {
    closeFile(from);
  }
}

/** Its first and last 64 KiB. */
function endsOf(file: string, bytes: number): Buffer {
  const fd = openPlain(file);
  try {
    const head = Buffer.alloc(Math.min(bytes, TEXT_BYTES));
    const tail = Buffer.alloc(Math.min(bytes, TEXT_BYTES));
    fs.readSync(fd, head, 0, head.length, 0);
    fs.readSync(fd, tail, 0, tail.length, bytes - tail.length);
    return Buffer.concat([head, tail]);
  } finally {
    closeFile(fd);
  }
}
