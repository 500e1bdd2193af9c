import fs from 'node:fs';
import path from 'node:path';
import { BENCH_MODULES } from '../workspace.js';
import { numbers, packageVersion } from './found.js';

export const wireit = {
  name: 'wireit',
  is: 'one state file per step, not synced',
  find: () => packageVersion('wireit'),
  prepare: ({ folder, count, shape, width }) => {
    const names = numbers(count).map((i) => `s${i}`);
    const isChain = shape === 'chain';
    const steps = names.map((name, i) => [
      name,
      { command: 'true', ...(isChain && i > 0 ? { dependencies: [`s${i - 1}`] } : {}) },
    ]);
    const last = isChain ? `s${count - 1}` : 'all';
    const all = isChain ? [] : [['all', { dependencies: names }]];
    const file = path.join(folder, 'package.json');
    fs.writeFileSync(
      file,
      JSON.stringify({
        name: 'steps',
        version: '1.0.0',
        scripts: Object.fromEntries([...steps, ...all].map(([name]) => [name, 'wireit'])),
        wireit: Object.fromEntries([...steps, ...all]),
      }),
    );
    return {
      argv: [process.execPath, path.join(BENCH_MODULES, 'wireit', 'bin', 'wireit.js')],
      env: {
        npm_lifecycle_event: last,
        npm_package_json: file,
        npm_config_user_agent: 'npm/11',
        WIREIT_LOGGER: 'quiet',
        WIREIT_CACHE: 'none',
        WIREIT_PARALLEL: String(width),
      },
      reset: () => fs.rmSync(path.join(folder, '.wireit'), { recursive: true, force: true }),
    };
  },
};
