/** One of two processes that switch sessions and change a task at the same time. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** Runs this to completion in a separate process. */
export async function child(
  workspace: string,
  name: string,
  rounds: number,
): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
  const outfile = path.join(temporaryFolder(), 'race-main.mjs');
  await build({
    entryPoints: [path.join(HERE, 'race-main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const started = spawn(process.execPath, [outfile, workspace, name, String(rounds)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  started.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve) => started.once('close', (exitCode) => resolve({ exitCode, stderr })));
}

/** Counts the markers as often as it can; `stop` returns the highest count seen. */
export function watchMarkers(workspace: string): { stop(): number } {
  let most = 0;
  const look = (): void => {
    const names = fs.readdirSync(path.join(workspace, '.workflow'));
    most = Math.max(most, names.filter((name) => name.startsWith('.active-')).length);
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}
