/**
 * `npm run test:nodes [-- [--all] [version…] [file or folder…]]`: runs tests on other versions of Node (default: 22, 24 and 26). Without
 * `--all`, files or folders, it runs the quick tests of the engine, the store and workflows.
 */
import { parseArgs } from 'node:util';
import { installNodes, nodeOf, passesOn } from './nodes.js';

const VERSIONS = ['22', '24', '26'];
const QUICK = ['--config', 'test/quick.config.ts', 'test/engine', 'test/store', 'test/workflow'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } });
const named = positionals.filter((word) => VERSIONS.includes(word));
const files = positionals.filter((word) => !VERSIONS.includes(word));
const tests = values.all || files.length > 0 ? files : QUICK;

if (!installNodes()) process.exit(1);
const failed = (named.length > 0 ? named : VERSIONS).filter((version) => !passes(version));
if (failed.length > 0) console.error(`failed on Node ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function passes(version) {
  const node = nodeOf(version);
  if (node === undefined) {
    console.error(`Node ${version} for ${process.platform}-${process.arch} not found in test/nodes`);
    return false;
  }
  console.log(`\nNode ${version}`);
  return passesOn(node, tests);
}
