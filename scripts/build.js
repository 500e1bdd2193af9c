/**
 * Builds `dist/`: the bundle, the small programs beside it, and V8's code cache for the bundle. The cache is made by running a real
 * workflow, so that it holds the functions that a run needs.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');

fs.rmSync(path.join(dist, 'orchestrate.cache'), { force: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    orchestrate: 'src/cli/main.ts',
    'spawn-helper': 'src/process/spawn-helper.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  charset: 'ascii',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
});
makeAscii(path.join(dist, 'orchestrate.cjs'));
makeCodeCache();

/**
 * The launcher reads the bundle as one byte a character, which is quicker. esbuild escapes all other characters but those in regular
 * expressions, where the same escape means the same.
 */
function makeAscii(file) {
  const text = fs.readFileSync(file, 'utf8');
  const ascii = text.replace(
    /[^\x00-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (ascii !== text) fs.writeFileSync(file, ascii);
}

/** Runs the bundle on a small workflow in a folder of its own and keeps what V8 compiled on the way. */
function makeCodeCache() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-build-'));
  try {
    fs.writeFileSync(
      path.join(folder, 'warm.yaml'),
      'name: warm\ncontext: {word: hello}\nsteps:\n  - name: Say\n    command: [echo, "${context.word}"]\n    output_capture: lines\n  - name: Each\n    for_each:\n      items_from: steps.Say.lines\n      steps:\n        - name: Quiet\n          command: ["true"]\n',
    );
    const made = spawnSync(
      process.execPath,
      [path.join(root, 'scripts', 'make-code-cache.cjs'), path.join(dist, 'orchestrate.cache')],
      { cwd: folder, encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`the code cache could not be made:\n${made.stdout}${made.stderr}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
