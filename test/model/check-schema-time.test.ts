/** The time that checking a value may take is time of the processor: a machine that is busy with other work does not reject an answer that was paid for. */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';

/** The value takes two tenths of a second to check. */
const CHECKS = `
  import { checkSchema } from '../../src/model/check-schema.ts';
  const value = Array.from({ length: 12000 }, (_, index) => 'word' + index);
  const patterns = Array.from({ length: 60 }, (_, index) => ({ type: 'string', pattern: '^[a-z0-9]+x' + index + '$' }));
  console.log(JSON.stringify(checkSchema({ type: 'array', items: { anyOf: [...patterns, { type: 'string' }] } }, value)));
`;

/** Both on one processor, of which the first gets a seventh. */
const BESIDE_OTHERS = ['taskset', '-c', '0', 'nice', '-n', '8', process.execPath] as const;
const BUSY = ['-c', '0', process.execPath, '-e', 'for (;;);'] as const;

describe('the time limit of a schema check', () => {
  it.runIf(process.platform === 'linux')(
    'is not reached because the machine does something else',
    async () => {
      const outfile = path.join(temporaryFolder(), 'checks.mjs');
      await build({
        stdin: { contents: CHECKS, resolveDir: import.meta.dirname, loader: 'ts' },
        ...{ outfile, bundle: true, platform: 'node', format: 'esm' },
      });
      const busy = spawn('taskset', BUSY, { stdio: 'ignore' });
      onTestFinished(() => void busy.kill('SIGKILL'));
      const [program, ...args] = BESIDE_OTHERS;
      expect(execFileSync(program, [...args, outfile], { encoding: 'utf8' })).toBe('[]\n');
    },
  );
});
