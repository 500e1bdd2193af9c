import { dirname, relative } from 'node:path';
import { replaceFile } from '../../store/atomic-write.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { isInside } from '../../store/safe-path.ts';
import { firstText, lastText } from '../capture.ts';

/** The most an agent receives from one tool. */
export const TEXT_BYTES = 64 * 1024;
/** Reserved for the note about omitted text. */
const NOTE_BYTES = 1024;
const TAIL_BYTES = 16 * 1024;
const HEAD_BYTES = TEXT_BYTES - TAIL_BYTES - NOTE_BYTES;

/** Both absolute. */
export interface OutputSite {
  readonly root: string;
  readonly outputFile: string;
}

export interface ToolText {
  readonly text: string;
  readonly wholeIn?: string;
}

/** The whole text, or its start and end with the name of the file that has the rest in between. */
export function boundedText(whole: Buffer, site: OutputSite): ToolText {
  if (whole.length <= TEXT_BYTES) return { text: whole.toString('utf8') };
  const { outputFile } = site;
  makeOneFolder(dirname(outputFile));
  replaceFile(outputFile, whole);
  return { text: shortened(whole, whole.length, site), wholeIn: outputFile };
}

/** `ends` contains at least the first and the last 64 KiB of an output of `bytes` bytes. */
export function shortened(ends: Buffer, bytes: number, { root, outputFile }: OutputSite): string {
  // In the form that `read_file` accepts.
  const file = isInside(root, outputFile) ? relative(root, outputFile) : outputFile;
  const head = firstText(ends, HEAD_BYTES);
  const tail = lastText(ends, TAIL_BYTES);
  const leftOut = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${leftOut} of ${bytes} bytes omitted; the full output is in \`${file}\` …]\n${tail}`;
}
