/** The versions of Node that the tests run on: the one that runs them, and those of `npm run test:nodes` if they are installed. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = process.version.slice(1).split('.')[0] ?? '';
const NODES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'nodes', 'node_modules');

export const NODE_VERSIONS: readonly string[] = [...new Set([OWN, '22', '24', '26'])];

/** The program of a version, which may not be installed. */
export function nodeOf(version: string): string {
  if (version === OWN) return process.execPath;
  return path.join(NODES, `node-${version}-${process.platform}-${process.arch}`, 'bin', 'node');
}

export function isInstalled(version: string): boolean {
  return fs.existsSync(nodeOf(version));
}
