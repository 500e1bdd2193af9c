/** What belongs into the package: `scripts/package-files.txt`, one file or pattern per line, and a limit of its size. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './import-source.js';

export const MOST_BYTES = 6_000_000;

/** `files` as `npm pack --json` lists them. One sentence per problem. */
export function problemsOf(files) {
  const lines = fs
    .readFileSync(path.join(root, 'scripts', 'package-files.txt'), 'utf8')
    .trim()
    .split('\n');
  const patterns = lines.map((line) => ({ line, regexp: regexpOf(line) }));
  const unknown = files.filter(({ path: name }) => !patterns.some(({ regexp }) => regexp.test(name)));
  const missing = patterns.filter(({ regexp }) => !files.some(({ path: name }) => regexp.test(name)));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return [
    ...unknown.map(({ path: name }) => `${name} is not in scripts/package-files.txt`),
    ...missing.map(({ line }) => `the package has no ${line}`),
    ...(bytes < MOST_BYTES ? [] : [`the package has ${bytes} bytes; the limit is ${MOST_BYTES}`]),
  ];
}

/** `*` is a part of a name, `**` any path. */
function regexpOf(pattern) {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))}$`);
}
