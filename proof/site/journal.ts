/** Reads the journal as documented in docs/files.md, without the program's code. */
import fs from 'node:fs';
import zlib from 'node:zlib';
import { must } from '../must.ts';

export interface JournalRecord {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly key?: string;
  readonly [member: string]: unknown;
}

/** Every line is complete, has its checksum, and is in order. */
export function readJournal(file: string): readonly JournalRecord[] {
  const text = fs.readFileSync(file, 'latin1');
  must(text.endsWith('\n'), () => ({
    expected: 'a journal that ends with a newline',
    found: tail(text),
    where: file,
  }));
  const [head, ...lines] = text.slice(0, -1).split('\n');
  const wrong = (line: string, expected: string): void =>
    must(false, () => ({ expected, found: utf8(line).slice(0, 300), where: file }));
  const whole = (line: string): Record<string, unknown> => {
    const at = line.lastIndexOf(',"crc":"');
    const crc = zlib
      .crc32(Buffer.from(line.slice(0, at), 'latin1'))
      .toString(16)
      .padStart(8, '0');
    if (at < 0 || line.slice(at) !== `,"crc":"${crc}"}`) wrong(line, 'a record with its checksum');
    return JSON.parse(utf8(line)) as Record<string, unknown>;
  };
  const header = whole(head ?? '');
  if (header['format'] !== 'orchestrate-journal' || header['version'] !== 1)
    wrong(head ?? '', 'the header of a journal');
  return lines.map((line, index) => {
    const record = whole(line) as unknown as JournalRecord;
    if (record.seq !== index + 1) wrong(line, `record ${index + 1}`);
    return record;
  });
}

function tail(text: string): string {
  return utf8(text.slice(-200));
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
