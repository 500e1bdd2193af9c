import fs from 'node:fs';
import path from 'node:path';
import { emptied, numbers, programVersion } from './found.js';

export const make = {
  name: 'make with stamp files',
  is: 'one file per step, not synced',
  find: () => programVersion('make'),
  prepare: ({ folder, count, shape, width }) => {
    const isChain = shape === 'chain';
    const rules = numbers(count).map(
      (i) => `stamps/${i}:${isChain && i > 0 ? ` stamps/${i - 1}` : ''}\n\t@true && touch $@\n`,
    );
    const all = isChain
      ? `stamps/${count - 1}`
      : numbers(count)
          .map((i) => `stamps/${i}`)
          .join(' ');
    fs.writeFileSync(path.join(folder, 'Makefile'), `all: ${all}\n${rules.join('')}`);
    return {
      argv: ['make', '-s', ...(isChain ? [] : [`-j${width}`])],
      reset: emptied(folder, 'stamps'),
    };
  },
};
