/**
 * `npm run bench [-- [--quick] [--write] name…]`: every figure is a ratio within one run, with its limit. Other tools are measured if they
 * are installed: `npm ci` in this folder for zx, listr2, wireit, just and ndjson; make, ninja, parallel and snakemake from the system. Other
 * versions of Node are measured if they are installed: `npm ci` in `test/nodes`.
 * `--write` writes the results to `docs/benchmarks.md` and its plot.
 */
import { parseArgs } from 'node:util';
import { chain } from './chain.js';
import { cluster } from './cluster.js';
import { hook } from './hook.js';
import { inbox } from './inbox.js';
import { journal } from './journal.js';
import { largeOutput } from './large-output.js';
import { syncMs } from './measure.js';
import { nodes } from './nodes.js';
import { page } from './page.js';
import { parallel } from './parallel.js';
import { peers } from './peers.js';
import { runPage } from './run-page.js';
import { server } from './server.js';
import { startUp, validate } from './start-up.js';
import { stream } from './stream.js';
import { tasks } from './tasks.js';
import { writePage } from './write-page.js';

const BENCHMARKS = {
  'start-up': startUp,
  hook,
  nodes,
  validate,
  chain,
  parallel,
  'large-output': largeOutput,
  stream,
  tasks,
  journal,
  'run-page': runPage,
  inbox,
  page,
  server,
  cluster,
  peers,
};

const HELP = `Usage: npm run bench -- [options] [name…]

  --quick   smaller sizes and fewer rounds
  --write   write the results to docs/benchmarks.md and its plot

Names: ${Object.keys(BENCHMARKS).join(', ')} (default: all).
`;

const { quick, write, names } = readWords(process.argv.slice(2));

const say = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
};
const measured = [];
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  say(`${name} …`);
  const rows = await benchmark({ quick, say });
  say('');
  for (const each of rows) console.log(line(each));
  measured.push(...rows.map((each) => ({ benchmark: name, ...each })));
}
const sync = syncMs();
console.log(`      ${sync.toFixed(2)} ms                to append a record to a file and sync it`);
if (write) writePage(measured, { syncMs: sync });
process.exitCode = measured.every(({ ok }) => ok) ? 0 : 1;

function readWords(words) {
  const { values, positionals: names } = parsed(words);
  if (values.help) leave(process.stdout, HELP, 0);
  const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
  if (unknown.length > 0) leave(process.stderr, `unknown benchmark ${unknown.join(', ')}\n\n${HELP}`, 2);
  return { ...values, names };
}

function parsed(args) {
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({ args, options: { help: flag, quick: flag, write: flag }, allowPositionals: true });
  } catch (error) {
    return leave(process.stderr, `${error.message}\n\n${HELP}`, 2);
  }
}

function leave(stream, text, exitCode) {
  stream.write(text);
  process.exit(exitCode);
}

function line({ name, value, limit, ok }) {
  const shown = limit === undefined ? '' : `  (at most ${limit})`;
  return `${ok ? ' ' : '!'} ${value.toFixed(2).padStart(8)}${shown.padEnd(16)} ${name}`;
}
