import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BENCH_MODULES } from '../workspace.js';
import { packageVersion } from './found.js';

export const listr2 = {
  name: 'listr2 with execa',
  is: 'nothing',
  find: () => {
    const versions = ['listr2', 'execa'].map(packageVersion);
    return versions.includes(undefined) ? undefined : versions.join(' and ');
  },
  prepare: ({ folder, count, shape, width }) => {
    const entry = (name, file) => pathToFileURL(path.join(BENCH_MODULES, name, file)).href;
    fs.writeFileSync(
      path.join(folder, 'steps.mjs'),
      `import { execa } from ${JSON.stringify(entry('execa', 'index.js'))};
import { Listr } from ${JSON.stringify(entry('listr2', 'dist/index.js'))};
const tasks = Array.from({ length: ${count} }, (_, i) => ({ title: 'S' + i, task: () => execa('true') }));
await new Listr(tasks, { renderer: 'silent', concurrent: ${shape === 'chain' ? 'false' : width} }).run();
`,
    );
    return { argv: [process.execPath, 'steps.mjs'] };
  },
};
