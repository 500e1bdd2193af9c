/** What the proof records of a program's disk, and what its model makes of that. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Disk } from '../../proof/power-loss/disk.ts';
import { readTrace } from '../../proof/power-loss/trace.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const RECORDER = fileURLToPath(new URL('../../proof/rig/record-disk.cjs', import.meta.url));

/** Runs this code as the program, in a folder of its own; returns the files that the model knows at its end. */
function recorded(code: string): { readonly [path: string]: string } {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const program = path.join(elsewhere, 'orchestrate.js');
  const trace = path.join(elsewhere, 'trace');
  fs.writeFileSync(program, `const fs = require('node:fs');\n${code}`);
  execFileSync(process.execPath, [program], {
    cwd: folder,
    env: { NODE_OPTIONS: `--require=${RECORDER}`, RECORD_DISK: JSON.stringify({ folder, trace }) },
  });
  const disk = new Disk();
  const lines = readTrace(trace);
  for (const [at, line] of lines.entries()) disk.apply(line, at);
  const left = disk.left(lines.length, { names: () => true, contents: (_synced, written) => written });
  return Object.fromEntries(left.map((file) => [file.path, String(file.contents)]));
}

it('a write that is not finished while the program does something else is recorded once', () => {
  const files = recorded(`
    const fd = fs.openSync('slow.zip', 'w');
    fs.write(fd, Buffer.from('once'), 0, 4, null, () => fs.closeSync(fd));
    while (fs.statSync('slow.zip').size < 4);
    fs.writeFileSync('other.txt', 'other');
  `);
  expect(files).toMatchObject({ 'slow.zip': 'once', 'other.txt': 'other' });
});

it('a refused operation leaves its file to others', () => {
  const files = recorded(`
    fs.mkdirSync('there');
    fs.promises.rename('there', 'there/below').catch(() => {
      require('node:child_process').execFileSync('sh', ['-c', 'echo by another > there/file']);
      fs.writeFileSync('other.txt', 'other');
    });
  `);
  expect(files).toMatchObject({ 'there/file': 'by another\n', 'other.txt': 'other' });
});
