import fs from 'node:fs';
import path from 'node:path';
import { emptied, programVersion } from './found.js';

export const snakemake = {
  name: 'snakemake',
  is: 'one file and one record per step, not synced',
  find: () => programVersion('snakemake'),
  prepare: ({ folder, count, shape, width }) => {
    const before =
      shape === 'chain'
        ? "\n    input: lambda wildcards: [] if wildcards.i == '0' else f'stamps/{int(wildcards.i) - 1}'"
        : '';
    const all = shape === 'chain' ? `'stamps/${count - 1}'` : `expand('stamps/{i}', i=range(${count}))`;
    fs.writeFileSync(
      path.join(folder, 'Snakefile'),
      `rule all:
    input: ${all}
rule one:${before}
    output: 'stamps/{i}'
    shell: 'true && touch {output}'
`,
    );
    const empty = emptied(folder, 'stamps');
    return {
      argv: ['snakemake', '--quiet', 'all', '--cores', String(shape === 'chain' ? 1 : width)],
      reset: () => {
        empty();
        fs.rmSync(path.join(folder, '.snakemake'), { recursive: true, force: true });
      },
    };
  },
};
