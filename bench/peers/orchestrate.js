import fs from 'node:fs';
import path from 'node:path';
import { ORCHESTRATE, ROOT, writeChain } from '../workspace.js';
import { numbers } from './found.js';

export const orchestrate = {
  name: 'orchestrate',
  is: 'each result, synced before the next step that needs it',
  find: () => JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version,
  prepare: ({ folder, count, shape, width }) => {
    const file = path.join(folder, 'steps.yaml');
    if (shape === 'chain') writeChain(file, count);
    else fs.writeFileSync(file, fanOut(count, width));
    return {
      argv: [process.execPath, ORCHESTRATE, 'run', 'steps.yaml', '--quiet'],
      reset: () => fs.rmSync(path.join(folder, '.orchestrate'), { recursive: true, force: true }),
    };
  },
};

function fanOut(count, width) {
  return `name: fan-out
steps:
  - name: Each
    for_each:
      items: [${numbers(count).join(', ')}]
      max_parallel: ${width}
      steps:
        - name: One
          command: ["true"]
`;
}
