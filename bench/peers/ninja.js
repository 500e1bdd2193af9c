import fs from 'node:fs';
import path from 'node:path';
import { emptied, numbers, programVersion } from './found.js';

export const ninja = {
  name: 'ninja',
  is: 'one file per step and a log, not synced',
  find: () => programVersion('ninja'),
  prepare: ({ folder, count, shape, width }) => {
    const builds = numbers(count).map(
      (i) => `build n/${i}: stamp${shape === 'chain' && i > 0 ? ` n/${i - 1}` : ''}\n`,
    );
    fs.writeFileSync(
      path.join(folder, 'build.ninja'),
      `rule stamp\n  command = true && touch $out\n${builds.join('')}`,
    );
    const empty = emptied(folder, 'n');
    return {
      argv: ['ninja', '--quiet', '-j', String(width)],
      reset: () => {
        empty();
        for (const log of ['.ninja_log', '.ninja_deps']) fs.rmSync(path.join(folder, log), { force: true });
      },
    };
  },
};
