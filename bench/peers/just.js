import fs from 'node:fs';
import path from 'node:path';
import { BENCH_MODULES } from '../workspace.js';
import { numbers, packageVersion, programVersion } from './found.js';

/** The binary package. The package `rust-just` requires one for every platform, and most of them are not in the registry. */
const PACKAGE = `rust-just-${process.platform}-${process.arch}`;
const INSTALLED = path.join(BENCH_MODULES, PACKAGE, 'bin', 'just');
const PROGRAM = fs.existsSync(INSTALLED) ? INSTALLED : 'just';

export const just = {
  name: 'just',
  is: 'nothing',
  find: () => packageVersion(PACKAGE) ?? programVersion('just'),
  prepare: ({ folder, count, shape }) => {
    // It cannot limit how many recipes run in parallel.
    if (shape !== 'chain') return undefined;
    const recipes = numbers(count).map((i) => `s${i}:${i > 0 ? ` s${i - 1}` : ''}\n    @true\n`);
    fs.writeFileSync(path.join(folder, 'justfile'), recipes.join('\n'));
    return { argv: [PROGRAM, `s${count - 1}`] };
  },
};
