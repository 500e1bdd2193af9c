import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
export const ORCHESTRATE = path.join(root, 'bin', 'orchestrate.js');
export const BENCH_MODULES = path.join(root, 'bench', 'node_modules');
export const ROOT = root;

/** A temporary folder, removed when `use` has ended. */
export async function inFolder(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-bench-'));
  try {
    return await use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export function writeChain(file, count) {
  const steps = Array.from({ length: count }, (_, i) => `  - name: S${i}\n    command: ["true"]\n`);
  fs.writeFileSync(file, `name: chain\nsteps:\n${steps.join('')}`);
}
