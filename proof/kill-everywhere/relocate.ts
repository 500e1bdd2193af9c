/** Copies files from one folder to another, as if they had been created there. */
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';

/** Both have the same length, so nothing moves within a file; checksums are recomputed. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

/** Copies a whole folder into an empty one; `from` is the folder that its files refer to. */
export function copyRelocated(folder: string, relocation: Relocation): void {
  const { from, to } = relocation;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const source = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(folder, source));
    if (entry.isDirectory()) fs.mkdirSync(target, { recursive: true });
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source).replaceAll(from, to), target);
    else {
      const { mode, atime, mtime } = fs.statSync(source);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, relocated(fs.readFileSync(source), relocation), { mode });
      fs.utimesSync(target, atime, mtime);
    }
  }
}

export function relocated(contents: Buffer, { from, to }: Relocation): Buffer {
  if (!contents.includes(from)) return contents;
  if (from.length !== to.length) throw new Error('a folder of another length');
  const own = createResealing(from);
  // One character per byte, so that binary data stays unchanged.
  const text = contents.toString('latin1');
  const moved = text
    .split('\n')
    .map((line) => (line.includes(from) ? sealed(line, own(line.replaceAll(from, to))) : line));
  return Buffer.from(moved.join('\n'), 'latin1');
}

const RUN_SEAL = /"seal":"[0-9a-f]{64}"/;

/** The user's seal of a run covers its input (docs/security.md), including folders: a record that refers to another folder is sealed again. */
function createResealing(from: string): (line: string) => string {
  const file = path.join(from, '.config', 'orchestrate', 'key');
  let begun: { readonly runId: string; readonly program: string } | undefined;
  return (line) => {
    if (!RUN_SEAL.test(line) || !fs.existsSync(file)) return line;
    const record = parsed(Buffer.from(line, 'latin1').toString());
    if (record?.type === 'run-started') begun = record;
    if (record?.input === undefined || begun === undefined) return line;
    const text = `run\n${begun.runId}\n${begun.program}\n${JSON.stringify(record.input)}`;
    const key = Buffer.from(fs.readFileSync(file, 'latin1').trim(), 'hex');
    return line.replace(RUN_SEAL, `"seal":"${createHmac('sha256', key).update(text).digest('hex')}"`);
  };
}

interface SealedRecord {
  readonly type: string;
  readonly runId: string;
  readonly program: string;
  readonly input?: unknown;
}

/** Undefined if the line is torn. */
function parsed(line: string): SealedRecord | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const SEAL = /,"crc":"[0-9a-f]{8}"\}$/;

/** Recomputes the checksum of a line that had a correct one (docs/files.md). */
function sealed(before: string, after: string): string {
  const seal = SEAL.exec(before);
  if (seal === null || seal[0] !== sealOf(before.slice(0, seal.index))) return after;
  const body = after.slice(0, seal.index);
  return body + sealOf(body);
}

function sealOf(body: string): string {
  return `,"crc":"${crc32(Buffer.from(body, 'latin1')).toString(16).padStart(8, '0')}"}`;
}
