/** Writes the results to `docs/benchmarks.md`, and the comparison with other tools to `docs/benchmarks.svg`. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { knownPeers } from './peers.js';
import { plot } from './plot.js';
import { ROOT } from './workspace.js';

const TITLES = {
  'start-up': 'Start-up time',
  hook: 'Time a hook adds to a tool call',
  nodes: 'Start-up on other versions of Node',
  validate: 'Validating a workflow',
  chain: 'Ten thousand durable steps',
  parallel: 'Steps side by side',
  'large-output': 'Steps that print a gigabyte',
  stream: "Reading an agent's stream",
  tasks: 'A session of 2,000 tasks',
  journal: 'A run of 100,000 steps',
  'run-page': 'A large run on the page',
  inbox: 'A queue of 10,000 files',
  page: 'The page in a browser',
  server: 'The server of the page',
  cluster: 'Runs on several machines',
};

export function writePage(measured, { syncMs }) {
  const untitled = measured.find((row) => row.peer === undefined && !(row.benchmark in TITLES));
  if (untitled !== undefined) throw new Error(`the benchmark ${untitled.benchmark} has no title on the page`);
  const docs = path.join(ROOT, 'docs');
  const peers = measured.filter(({ peer }) => peer !== undefined).map(({ peer }) => peer);
  const sections = Object.entries(TITLES).map(([benchmark, title]) =>
    section(
      title,
      measured.filter((row) => row.benchmark === benchmark),
    ),
  );
  if (peers.length > 0) fs.writeFileSync(path.join(docs, 'benchmarks.svg'), plot(peers));
  const page = [head(syncMs), ...sections, peers.length === 0 ? '' : besideOthers(peers)];
  fs.writeFileSync(path.join(docs, 'benchmarks.md'), `${page.filter(Boolean).join('\n\n')}\n`);
}

function head(syncMs) {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const [cpu] = os.cpus();
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Figures are ratios to a simple baseline measured in the same run, each the median over interleaved
rounds: times depend on the machine, ratios carry over. The benchmark fails if a figure exceeds its limit.

Version ${version}, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${os.type()} ${os.release().split('-')[0]}, ${os.cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(os.totalmem() / 2 ** 30)} GiB.
Appending and syncing a record takes ${syncMs.toFixed(2)} ms on it. Orchestrate does this once per step; none of the other tools does.`;
}

function section(title, rows) {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ({ name, value, limit }) => `| ${name} | ${value.toFixed(2)} | ${limit === undefined ? '' : limit} |`,
  );
  return `## ${title}\n\n| Measurement | Result | Limit |\n| --- | ---: | ---: |\n${lines.join('\n')}`;
}

function besideOthers(peers) {
  const columns = ['chain', 'fan-out'].flatMap((shape) =>
    [...new Set(peers.filter((peer) => peer.shape === shape).map(({ count }) => count))].map((count) => ({
      shape,
      count,
    })),
  );
  const at = (name, { shape, count }) =>
    peers.find((peer) => peer.name === name && peer.shape === shape && peer.count === count)?.msPerStep;
  const [base] = knownPeers();
  const lines = knownPeers()
    .filter(({ version }) => version !== undefined)
    .map(({ name, is, version }) => {
      const figures = columns.map((column) => {
        const own = at(name, column);
        return own === undefined ? '–' : (own / at(base.name, column)).toFixed(2);
      });
      return `| ${name} ${version} | ${is} | ${figures.join(' | ')} |`;
    });
  const missing = knownPeers().filter(({ version }) => version === undefined);
  const heads = columns.map(({ shape, count }) => `${shape} of ${count.toLocaleString('en')}`);
  return `## Comparison with other tools

Steps that run \`true\`: in a chain, each step waits for the one before; in a fan-out, eight run at once. Figures are the time of the whole
program as a multiple of a bare Node loop that starts the same processes and records nothing. A dash means that the tool cannot do this
shape or size, or would take longer than a minute.

![Cost of a step in each tool, as a multiple of a bare Node loop](benchmarks.svg)

| Tool | What it records | ${heads.join(' | ')} |
| --- | --- | ${heads.map(() => '---:').join(' | ')} |
${lines.join('\n')}${missing.length === 0 ? '' : `\n\nNot installed when this was measured: ${missing.map(({ name }) => name).join(', ')}.`}`;
}
