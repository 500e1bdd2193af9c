import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createCheckProof } from '../../src/effects/check-proof.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { effectContext } from './effect-site.ts';

const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'check-proof-')));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it('no reason holds a secret of the run, printed by a check, written in it or named by a file', async () => {
  const secret = 'declared-elsewhere';
  const commands = [
    ['bash', '-c', 'printf %s%s\\\\n declared -elsewhere; printf %s%s declared -elsewhere >&2; exit 1'],
    ['false', secret],
  ];
  const check = createCheckProof(runProcess, [secret]);
  const proof = await check({ files: [`${secret}.txt`], commands }, effectContext(folder));
  expect(proof.reasons).toEqual([
    'no file matches `***.txt`',
    expect.stringMatching(/exit code 1: \*\*\*\n\*\*\*$/),
    '`false ***` ended with exit code 1',
  ]);
});
