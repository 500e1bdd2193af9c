/** Runs `orchestrate run warm.yaml` here and writes V8's code cache to the file named on the command line. */
const fs = require('node:fs');
const path = require('node:path');
const { loadBundle } = require('../bin/launch.js');

const target = process.argv[2];
const { main, script, dist } = loadBundle();
main({ program: 'orchestrate', argv: ['run', path.join('warm.yaml'), '--quiet'], dist }).then((exitCode) => {
  fs.writeFileSync(target, script.createCachedData());
  process.exitCode = exitCode;
});
