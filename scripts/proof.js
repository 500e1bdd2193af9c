// Runs the proof (`proof/`) against the repository it stands in. `npm run proof -- --help` says how.
import { importSource, root } from './import-source.js';

const { main } = await importSource(`export { main } from './proof/main.ts';`);
process.exitCode = await main(root, process.argv.slice(2));
