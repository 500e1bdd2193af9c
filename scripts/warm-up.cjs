/**
 * Calls commands of `orchestrate` in this folder, given as a JSON list of argument lists. With the name of a pack: from that pack, whose
 * code cache is kept afterwards. Without: the names of the parts that they took are kept in `parts.json`.
 */
const fs = require('node:fs');
const path = require('node:path');
const { createLoader } = require('../bin/launch.js');

const [dist, commands, pack] = process.argv.slice(2);
const { load, loaded, script } = createLoader({ dist, ...(pack === undefined ? {} : { pack }) });

async function warmUp() {
  for (const argv of JSON.parse(commands)) {
    const exitCode = await load('main.cjs').main({ program: 'orchestrate', argv, dist });
    if (exitCode !== 0) process.exit(exitCode);
  }
  if (pack === undefined) fs.writeFileSync('parts.json', JSON.stringify([...loaded.keys()]));
  else fs.writeFileSync(path.join(dist, `${pack}.cache`), script.createCachedData());
}

warmUp();
