/** Start-up and hooks on the other versions of Node that the tests run on. `npm ci` in `test/nodes` installs them. */
import fs from 'node:fs';
import path from 'node:path';
import { hook } from './hook.js';
import { startUp } from './start-up.js';
import { ROOT } from './workspace.js';

const FOLDER = path.join(ROOT, 'test', 'nodes', 'node_modules');

export async function nodes(options) {
  const rows = [];
  for (const version of ['22', '24', '26']) {
    const node = path.join(FOLDER, `node-${version}-${process.platform}-${process.arch}`, 'bin', 'node');
    if (!fs.existsSync(node)) continue;
    options.say(`Node ${version} …`);
    const measured = [...(await startUp({ ...options, node })), ...(await hook({ ...options, node }))];
    rows.push(...measured.map((row) => ({ ...row, name: `Node ${version}: ${row.name}` })));
  }
  return rows;
}
