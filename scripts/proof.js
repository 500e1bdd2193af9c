// Runs the proof (`proof/`) against the repository it stands in. `npm run proof -- --help` says how.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { main } = await importSource();
process.exitCode = await main(root, process.argv.slice(2));

async function importSource() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-proof-main-'));
  try {
    const outfile = path.join(folder, 'main.mjs');
    await build({
      entryPoints: [path.join(root, 'proof', 'main.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      outfile,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
