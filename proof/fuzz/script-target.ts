/** Runs every accepted script in a real shell with malicious values, inserted or passed as arguments. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { COMMANDS, HARMFUL_PROGRAM, PAYLOADS, scriptText } from './script-constructs.ts';
import type { Bench, Target } from './targets.ts';

/** The value that triggers most harmful scripts. */
const FIRST = 'a[$(>pwned)]';
const LONGEST_MS = 2000;

const given = fc.record({
  script: scriptText,
  shell: fc.constantFrom('bash', 'bash', 'dash'),
  command: fc.nat({ max: COMMANDS.length - 1 }),
  values: fc.array(fc.constantFrom(...PAYLOADS), { minLength: 2, maxLength: 2 }),
});

export const scriptConstructs: Target = {
  ...{ name: 'script-constructs', share: 0.2 },
  property: (bench) =>
    fc.asyncProperty(given, async ({ script, shell, command, values }) => {
      const argv = COMMANDS[command]?.(shell, asWritten(script)) ?? [];
      if (!argv.some((argument) => argument.includes('${V}'))) return;
      for (const value of new Set([FIRST, ...values])) {
        const rendered = bench.parsers.command(argv, value);
        if (rendered === undefined) return;
        if (await isHarmed(bench, rendered))
          throw new Error(`${argv.join(' ')} runs ${JSON.stringify(value)} as code`);
      }
    }) as fc.IAsyncProperty<[unknown]>,
};

/** As written in a workflow: `$$` is a dollar sign, and only `${V}` is a value. */
function asWritten(script: string): string {
  return script.replace(/\$\$|\$(?=\{)(?!\{V\})/g, (dollars) => dollars.replaceAll('$', '$$$$'));
}

async function isHarmed(
  { folder, signal }: Bench,
  [program = '', ...words]: readonly string[],
): Promise<boolean> {
  const cell = fs.mkdtempSync(path.join(folder, 'cell-'));
  const programs = path.join(folder, 'programs');
  fs.mkdirSync(programs, { recursive: true });
  fs.writeFileSync(path.join(programs, HARMFUL_PROGRAM), '#!/bin/sh\n: > pwned\n', { mode: 0o755 });
  fs.writeFileSync(path.join(cell, 'f'), 'x\n');
  // A recursive function would fill the machine with shells.
  const env = { PATH: `${programs}:${process.env['PATH']}`, HOME: cell, FUNCNEST: '10' };
  // In its own process group, so that nothing of it is left.
  const child = spawn(program, words, { cwd: cell, env, stdio: 'ignore', detached: true });
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(end, LONGEST_MS);
  signal.addEventListener('abort', end);
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  end();
  const isHarmful = fs.existsSync(path.join(cell, 'pwned'));
  fs.rmSync(cell, { recursive: true, force: true });
  return isHarmful;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
