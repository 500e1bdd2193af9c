import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createCheckProof } from '../../src/effects/check-proof.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { effectContext } from './effect-site.ts';

const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'check-proof-')));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it('no reason contains a secret of the run, whether printed by a check, part of its command or of a file name', async () => {
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

it('a pipe in place of the file is not JSON, and does not block', async () => {
  const context = effectContext(folder);
  execFileSync('mkfifo', [join(context.run.workspace, 'pipe.json')]);
  const check = createCheckProof(runProcess);
  const wanted = { files: [], commands: [], jsonSchema: { type: 'object' } };
  const proof = await check({ ...wanted, subject: { type: 'file', path: 'pipe.json' } }, context);
  expect(proof.reasons).toEqual(['`pipe.json` is not JSON']);
});

it('of a list of hundreds of thousands of wrong elements only the first are reported', async () => {
  const context = effectContext(folder);
  fs.writeFileSync(join(context.run.workspace, 'long.json'), `[${Array(200_000).fill('1').join(',')}]`);
  const check = createCheckProof(runProcess);
  const { reasons } = await check(
    {
      ...{ files: [], commands: [], subject: { type: 'file', path: 'long.json' } },
      jsonSchema: { type: 'array', items: { type: 'string' } },
    },
    context,
  );
  expect(reasons).toHaveLength(101);
  expect(reasons.at(-1)).toMatch(/^and \d+ more$/);
});

it('JSON that is nested too deeply is not accepted', async () => {
  const check = createCheckProof(runProcess);
  const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const wanted = { files: [], commands: [], jsonSchema: {} };
  const proof = await check({ ...wanted, subject: { type: 'value', text } }, effectContext(folder));
  expect(proof).toMatchObject({ reasons: ['the output is not JSON'] });
});
