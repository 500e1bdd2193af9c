import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Imports TypeScript modules. `entry` is the text of a module with imports relative to the repository. */
export async function importSource(entry) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-source-'));
  try {
    const outfile = path.join(folder, 'source.mjs');
    await build({
      stdin: { contents: entry, resolveDir: root, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      // Packages in CommonJS call `require`, which a module does not have.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      outfile,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
