/**
 * Showing and resuming a run of 100,000 steps, compared with parsing its journal once: Node reads the file as one text, splits it into lines and
 * parses each. It checks no checksum, which the program does for every line.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { interleaved, row, timed } from './measure.js';
import { numbers } from './peers/found.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

export async function journal({ quick }) {
  const steps = quick ? 10_000 : 100_000;
  return inFolder(async (folder) => {
    const { file, text } = await longJournal(folder, steps);
    const node =
      (...argv) =>
      async () => {
        fs.writeFileSync(file, text);
        return (await timed([process.execPath, ...argv], { cwd: folder, isQuiet: true })).ms;
      };
    // Its records were changed, so they do not count as the user's own.
    await node(ORCHESTRATE, 'resume', 'last', '--quiet', '--trust')();
    const parse =
      "for (const line of require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n')) if (line !== '') JSON.parse(line)";
    const times = await interleaved(
      {
        parse: node('-e', parse, file),
        show: node(ORCHESTRATE, 'show', 'last', '--json'),
        resume: node(ORCHESTRATE, 'resume', 'last', '--quiet'),
      },
      quick ? 5 : 3,
    );
    const against = `of ${steps} steps, x Node parsing the lines of its journal`;
    return [
      row(`show a run ${against}`, times.ratio('show', 'parse'), 2),
      row(`resume a run ${against}`, times.ratio('resume', 'parse'), 3),
    ];
  });
}

const workflow = (items) => `name: large
steps:
  - name: Each
    for_each:
      items: ${JSON.stringify(items)}
      steps:
        - name: One
          command: ["true"]
  - name: Last
    command: ["true"]
`;

/** The journal of a real run of one item, with its records repeated for every further item, as if it was killed before its last step. */
export async function longJournal(folder, count) {
  const source = path.join(folder, 'large.yaml');
  fs.writeFileSync(source, workflow([0]));
  await timed([process.execPath, ORCHESTRATE, 'run', 'large.yaml', '--quiet'], {
    cwd: folder,
    isQuiet: true,
  });
  const runs = path.join(folder, '.orchestrate', 'runs');
  const file = path.join(runs, fs.readdirSync(runs)[0], 'journal.jsonl');
  const [header, ...records] = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  const items = numbers(count);
  const old = digest(source);
  fs.writeFileSync(source, workflow(items));
  const whole = (record) => record.replaceAll('[0]', JSON.stringify(items)).replaceAll(old, digest(source));
  const ofItem = records.filter((record) => record.includes('"key":"Each/0/'));
  const first = records.indexOf(ofItem[0]);
  const after = records
    .slice(first + ofItem.length)
    .filter((record) => !record.includes('"type":"run-ended"') && !record.includes('"key":"Last"'));
  const all = [
    ...records.slice(0, first).map(whole),
    ...items.flatMap((i) =>
      ofItem.map((record) =>
        later(record.replace('Each/0/', `Each/${i}/`).replace('"index":0', `"index":${i}`), i * ITEM_MS),
      ),
    ),
    ...after.map((record) => later(record, count * ITEM_MS)),
  ];
  const text = all.map((record, index) => signed(record, index + 1)).join('');
  return { file, text: `${header}\n${text}` };
}

/** How long an item takes, in its records. */
const ITEM_MS = 20;

function later(record, ms) {
  return record.replace(
    /"(at|startedAt|completedAt)":"([^"]+)"/g,
    (_, name, time) => `"${name}":"${new Date(Date.parse(time) + ms).toISOString()}"`,
  );
}

function digest(file) {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}

/** In the format of the journal: `seq` first, and last the `crc` of everything before it. */
export function signed(record, seq) {
  const body = record.replace(/^\{"seq":\d+/, `{"seq":${seq}`).replace(/,"crc":"[0-9a-f]{8}"\}$/, '');
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}
