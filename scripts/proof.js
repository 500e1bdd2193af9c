// Runs the proof (`proof/`) against this repository. See `npm run proof -- --help`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importSource, root } from './import-source.js';

// One code cache for all programs it starts: the first start takes longer.
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-proof-cache-'));
process.env.XDG_CACHE_HOME = cache;
process.once('exit', () => fs.rmSync(cache, { recursive: true, force: true }));

const { main } = await importSource(`export { main } from './proof/main.ts';`);
process.exitCode = await main(root, process.argv.slice(2));
