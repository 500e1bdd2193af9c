import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { MOST_OUTPUT } from '../../src/git/git.ts';
import { gitIn, makeCheckout } from './hub-site.ts';

it('output that is too long to be read whole is a failure, not a part of it', async () => {
  const folder = makeCheckout({ 'a.txt': 'a\n' });
  const stored = execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], {
    input: Buffer.alloc(MOST_OUTPUT + 1, 'x'),
  });
  const id = stored.toString().trim();
  expect(await gitIn(folder)(['cat-file', 'blob', id])).toEqual({
    ...{ exitCode: 126, stdout: '', stderr: `its output is ${MOST_OUTPUT + 1} bytes` },
  });
});
