/**
 * Steps that run side by side: the cost of a step in a graph and in a loop with slots, compared with the same number of steps in a plain list,
 * and a loop over items of unequal length, compared with the ideal schedule.
 */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, median, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE, writeChain } from './workspace.js';

const SLOTS = 8;

export async function parallel({ quick }) {
  const [inGraph, inLoop] = quick ? [200, 1000] : [1000, 10_000];
  return inFolder(async (folder) => {
    const file = (name) => path.join(folder, name);
    writeChain(file('list-of-graph.yaml'), inGraph);
    fs.writeFileSync(file('graph.yaml'), graphOf(inGraph));
    writeChain(file('list-of-loop.yaml'), inLoop);
    fs.writeFileSync(file('loop.yaml'), loopOf(inLoop));
    const run = (name) => async () =>
      (await timed([process.execPath, ORCHESTRATE, 'run', name, '--quiet'], { cwd: folder })).ms;
    const graph = await interleaved({ list: run('list-of-graph.yaml'), graph: run('graph.yaml') }, 3);
    const loop = await interleaved({ list: run('list-of-loop.yaml'), loop: run('loop.yaml') }, quick ? 3 : 1);
    return [
      row(`a graph of ${inGraph} steps, x the same steps in a list`, graph.ratio('graph', 'list'), 1.1),
      row(
        `a for_each over ${inLoop} items with ${SLOTS} slots, x the same steps in a list`,
        loop.ratio('loop', 'list'),
        1.1,
      ),
      row(
        `a for_each over items of unequal length with ${SLOTS} slots, x the ideal schedule`,
        await overIdeal(folder, quick ? 1 : 3),
        1.05,
      ),
    ];
  });
}

/** Layers of eight; each step needs one of the layer before. */
function graphOf(count) {
  const steps = Array.from({ length: count }, (_, i) => {
    const needs = i < SLOTS ? '' : `\n          needs: [S${i - SLOTS}]`;
    return `        - name: S${i}\n          command: ["true"]${needs}\n`;
  });
  return `name: graph\nsteps:\n  - name: All\n    graph:\n      max_parallel: ${SLOTS}\n      steps:\n${steps.join('')}`;
}

function loopOf(count) {
  const items = Array.from({ length: count }, (_, i) => i);
  return `name: loop
steps:
  - name: Each
    for_each:
      items: ${JSON.stringify(items)}
      max_parallel: ${SLOTS}
      steps:
        - name: One
          command: ["true"]
`;
}

/** From a quarter of a second to two seconds, in no order. */
const SECONDS = Array.from({ length: 40 }, (_, i) => (250 + ((i * 617) % 36) * 50) / 1000);

async function overIdeal(folder, rounds) {
  fs.writeFileSync(
    path.join(folder, 'unequal.yaml'),
    `name: unequal
steps:
  - name: Each
    for_each:
      items: ${JSON.stringify(SECONDS.map(String))}
      max_parallel: ${SLOTS}
      steps:
        - name: One
          command: ["sleep", "\${item}"]
`,
  );
  const ratios = [];
  for (let round = 0; round < rounds; round += 1) {
    await timed([process.execPath, ORCHESTRATE, 'run', 'unequal.yaml', '--quiet'], { cwd: folder });
    ratios.push(loopMs(folder) / idealMs());
  }
  return median(ratios);
}

/** Each item, in order, on the slot that is free first: what a loop with slots can reach without knowing the lengths. */
function idealMs() {
  const slots = Array.from({ length: SLOTS }, () => 0);
  for (const seconds of SECONDS) slots[slots.indexOf(Math.min(...slots))] += seconds * 1000;
  return Math.max(...slots);
}

/** From the start of the first item to the end of the last, by the journal of the last run. */
function loopMs(folder) {
  const runs = path.join(folder, '.orchestrate', 'runs');
  const last = fs.readdirSync(runs).sort().at(-1);
  const times = fs
    .readFileSync(path.join(runs, last, 'journal.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"effect":"run-command"'))
    .map((line) => Date.parse(/"at":"([^"]+)"/.exec(line)[1]));
  return Math.max(...times) - Math.min(...times);
}
