/** The tools that access files, always inside the root. */
import fs from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { closeFile } from '../../model/close-file.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile, sweepTemporaries } from '../../store/atomic-write.ts';
import { findFiles } from '../../store/glob.ts';
import { atPlace } from '../../store/pin-inside.ts';
import { fileFailure, isInside, openInside, resolveInside } from '../../store/safe-path.ts';
import { firstText } from '../capture.ts';
import type { RunToolInput, ToolAction } from '../contracts.ts';
import { TEXT_BYTES } from './tool-text.ts';

const NOTE_BYTES = 512;

/** At most 64 KiB, and where to continue. Outputs of earlier tools can be read wherever they are. */
export function readText(
  { root, outputFile }: RunToolInput,
  { path, offset = 0, limit }: Extract<ToolAction, { type: 'read-file' }>,
): Result<string, Failure> {
  const outputs = dirname(outputFile);
  const opened =
    isAbsolute(path) && isInside(outputs, path)
      ? openInside(outputs, relative(outputs, path), { to: 'read' })
      : openInside(root, path, { to: 'read' });
  if (opened.type === 'error') return opened;
  const { fd } = opened.value;
  try {
    const { size } = fs.fstatSync(fd);
    const most = Math.min(limit ?? TEXT_BYTES, TEXT_BYTES);
    const bytes = Buffer.alloc(Math.max(0, Math.min(most + 1, size - offset)));
    const length = fs.readSync(fd, bytes, 0, bytes.length, offset);
    const got = bytes.subarray(0, length);
    if (got.includes(0))
      return error({ type: 'unusable-values', reasons: [`\`${path}\` is not a text file (${size} bytes)`] });
    const isWhole = offset === 0 && size <= most;
    if (isWhole) return ok(got.toString('utf8'));
    const text = firstText(got, Math.min(most, TEXT_BYTES - NOTE_BYTES));
    const end = offset + Buffer.byteLength(text);
    const rest = end < size ? `; continue with \`offset\` ${end}` : '';
    return ok(`${text}\n[bytes ${offset} to ${end} of ${size} of \`${path}\`${rest}]\n`);
  } catch (problem) {
    return error(fileFailure('read', path, problem));
  } finally {
    closeFile(fd);
  }
}

export function writeText(
  { root, keepOut }: RunToolInput,
  { path, content }: Extract<ToolAction, { type: 'write-file' }>,
): Result<string, Failure> {
  const target = resolveInside(root, path);
  if (target.type === 'error') return target;
  if (keepOut.some((folder) => isInside(folder, target.value))) {
    return error({
      type: 'unsafe-path',
      path,
      reason: 'belongs to the conversation itself; tools cannot write there',
    });
  }
  const written = atPlace(root, path, {
    ...{ operation: 'write', makeFolders: true },
    use(file): Failure | undefined {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) return { type: 'unsafe-path', path, reason: 'is a folder' };
      // Leftovers of a killed attempt.
      sweepTemporaries(dirname(file));
      replaceFile(file, content, { mode: (stat?.mode ?? 0o644) & 0o777 });
      return undefined;
    },
  });
  if (written.type === 'error') return written;
  if (written.value !== undefined) return error(written.value);
  return ok(`wrote ${Buffer.byteLength(content)} bytes to \`${path}\`\n`);
}

/** The files of the root that match, without those of the conversation itself. */
export function filesFor(
  { root, keepOut }: Pick<RunToolInput, 'root' | 'keepOut'>,
  glob: string,
): Result<readonly string[], Failure> {
  const found = findFiles(root, glob);
  if (found.type === 'error') return found;
  return ok(found.value.filter((file) => !keepOut.some((folder) => isInside(folder, join(root, file)))));
}

export function listText(input: RunToolInput, glob: string): Result<string, Failure> {
  const found = filesFor(input, glob);
  if (found.type === 'error') return found;
  return ok(found.value.length === 0 ? 'no files found\n' : `${found.value.join('\n')}\n`);
}
