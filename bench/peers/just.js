import fs from 'node:fs';
import path from 'node:path';
import { BENCH_MODULES } from '../workspace.js';
import { numbers, packageVersion } from './found.js';

/** The program itself. The package `rust-just` wants one for every platform, and most of these are not in the registry. */
const PACKAGE = `rust-just-${process.platform}-${process.arch}`;
const PROGRAM = path.join(BENCH_MODULES, PACKAGE, 'bin', 'just');

export const just = {
  name: 'just',
  is: 'keeps nothing',
  find: () => (fs.existsSync(PROGRAM) ? packageVersion(PACKAGE) : undefined),
  prepare: ({ folder, count, shape }) => {
    // Recipes side by side are as many as there are: it has no limit to set.
    if (shape !== 'chain') return undefined;
    const recipes = numbers(count).map((i) => `s${i}:${i > 0 ? ` s${i - 1}` : ''}\n    @true\n`);
    fs.writeFileSync(path.join(folder, 'justfile'), recipes.join('\n'));
    return { argv: [PROGRAM, `s${count - 1}`] };
  },
};
