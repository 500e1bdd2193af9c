/**
 * node test/real-clis/refresh-transcripts.js [word …]
 *
 * Records the transcripts again, all or those whose name holds a word. Look at the difference before you commit it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
// Inside the repository, so that imports of packages are found.
const folder = mkdtempSync(join(here, 'node_modules', '.refresh-'));
try {
  const outfile = join(folder, 'record-transcripts.js');
  await build({
    entryPoints: [join(here, 'record-transcripts.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
