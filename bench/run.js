/**
 * `npm run bench [-- --quick] [name…]`: every figure is a ratio within one run, with the limit it must keep beside it. Other tools
 * take part when they are installed: `npm ci` in this folder for zx, wireit and ndjson; make and ninja from the system.
 */
import { chain, peers } from './chain.js';
import { hook } from './hook.js';
import { largeOutput } from './large-output.js';
import { startUp, validate } from './start-up.js';
import { stream } from './stream.js';
import { tasks } from './tasks.js';

const BENCHMARKS = {
  'start-up': startUp,
  hook,
  validate,
  chain,
  peers,
  'large-output': largeOutput,
  stream,
  tasks,
};

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const names = words.filter((word) => !word.startsWith('-'));
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(
    `there is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`,
  );
  process.exit(2);
}
let over = 0;
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const { name: what, value, limit, ok } of await benchmark({ quick })) {
    if (!ok) over += 1;
    const shown = limit === undefined ? '' : `  (at most ${limit})`;
    console.log(`${ok ? ' ' : '!'} ${value.toFixed(2).padStart(8)}${shown.padEnd(16)} ${what}`);
  }
}
process.exitCode = over === 0 ? 0 : 1;
