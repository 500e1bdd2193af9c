/**
 * Runs `orchestrate run warm.yaml` in this folder. `list`: prints the names of the parts it took. `cache`: keeps V8's code cache for
 * the pack of them.
 */
const fs = require('node:fs');
const path = require('node:path');
const { createLoader } = require('../bin/launch.js');

const [mode, dist] = process.argv.slice(2);
const { load, loaded, hot } = createLoader({ dist, useHot: mode === 'cache' });
load('main.cjs')
  .main({ program: 'orchestrate', argv: ['run', 'warm.yaml', '--quiet'], dist })
  .then((exitCode) => {
    if (mode === 'cache') fs.writeFileSync(path.join(dist, 'hot.cache'), hot.createCachedData());
    else process.stdout.write(`${[...loaded.keys()].join('\n')}\n`);
    process.exitCode = exitCode;
  });
