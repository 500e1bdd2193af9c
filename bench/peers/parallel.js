import fs from 'node:fs';
import path from 'node:path';
import { numbers, programVersion } from './found.js';

export const parallel = {
  name: 'GNU parallel with a job log',
  is: 'one log line per step, not synced',
  find: () => programVersion('parallel'),
  prepare: ({ folder, count, shape, width }) => {
    fs.writeFileSync(
      path.join(folder, 'jobs'),
      numbers(count)
        .map(() => 'true\n')
        .join(''),
    );
    const jobs = shape === 'chain' ? 1 : width;
    return {
      argv: ['parallel', '--will-cite', '--joblog', 'log', '-j', String(jobs), '-a', 'jobs'],
      reset: () => fs.rmSync(path.join(folder, 'log'), { force: true }),
    };
  },
};
