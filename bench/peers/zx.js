import fs from 'node:fs';
import path from 'node:path';
import { BENCH_MODULES } from '../workspace.js';
import { packageVersion } from './found.js';

export const zx = {
  name: 'zx',
  is: 'nothing; one shell per step',
  find: () => packageVersion('zx'),
  prepare: ({ folder, count, shape, width }) => {
    fs.writeFileSync(
      path.join(folder, 'steps.mjs'),
      `$.verbose = false;
let left = ${count};
const lane = async () => {
  while (left-- > 0) await $\`true\`;
};
await Promise.all(Array.from({ length: ${shape === 'chain' ? 1 : width} }, lane));
`,
    );
    return { argv: [process.execPath, path.join(BENCH_MODULES, 'zx', 'build', 'cli.js'), 'steps.mjs'] };
  },
};
