// Runs the proof (`proof/`) against the repository it stands in. `npm run proof -- --help` says how.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importSource, root } from './import-source.js';

// One for all that it starts: a program that is started for the first time takes longer.
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-proof-cache-'));
process.env.XDG_CACHE_HOME = cache;
process.once('exit', () => fs.rmSync(cache, { recursive: true, force: true }));

const { main } = await importSource(`export { main } from './proof/main.ts';`);
process.exitCode = await main(root, process.argv.slice(2));
