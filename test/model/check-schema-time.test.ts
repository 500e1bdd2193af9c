/** The time that checking a value may take is time of the processor: a machine that is busy with other work does not reject an answer that was paid for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';

/** Says when it starts, and what it found. The value takes some hundred milliseconds to check. */
const CHECKS = `
  import fs from 'node:fs';
  import { checkSchema } from '../../src/model/check-schema.ts';
  const value = Array.from({ length: 12000 }, (_, index) => 'word' + index);
  const patterns = Array.from({ length: 60 }, (_, index) => ({ type: 'string', pattern: '^[a-z0-9]+x' + index + '$' }));
  fs.writeSync(1, 'starts\\n');
  fs.writeSync(1, JSON.stringify(checkSchema({ type: 'array', items: { anyOf: [...patterns, { type: 'string' }] } }, value)));
`;
/** Longer than the check may take. */
const STOPPED_MS = 2500;

describe('the time limit of a schema check', () => {
  it('does not run out while the machine does something else', async () => {
    const outfile = path.join(temporaryFolder(), 'checks.mjs');
    await build({
      stdin: { contents: CHECKS, resolveDir: import.meta.dirname, loader: 'ts' },
      ...{ outfile, bundle: true, platform: 'node', format: 'esm' },
    });
    const child = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    const closed = once(child, 'close');
    child.stdout.on('data', (chunk: Buffer) => {
      if (printed === '') child.kill('SIGSTOP');
      printed += chunk.toString();
    });
    await once(child.stdout, 'data');
    expect(printed).toBe('starts\n');
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
    child.kill('SIGCONT');
    await closed;
    expect(printed).toBe('starts\n[]');
  });
});
