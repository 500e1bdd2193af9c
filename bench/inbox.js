/** A queue of 10,000 tasks, compared with Node listing their names. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { numbers } from './peers/found.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const FILES = 10_000;

export async function inbox({ quick }) {
  return inFolder(async (folder) => {
    const queue = path.join(folder, 'inbox', 'engineer');
    fs.mkdirSync(queue, { recursive: true });
    for (const i of numbers(FILES)) {
      fs.writeFileSync(
        path.join(queue, `20260101T000000Z-${String(i).padStart(6, '0')}.task`),
        `task ${i}\n`,
      );
    }
    fs.writeFileSync(
      path.join(folder, 'wait.yaml'),
      `name: wait
steps:
  - name: Tasks
    wait_for: {glob: "inbox/engineer/*.task", min_count: ${FILES / 2}, timeout_sec: 60}
`,
    );
    const node =
      (...argv) =>
      async () =>
        (await timed([process.execPath, ...argv], { cwd: folder, isQuiet: true })).ms;
    const list =
      "require('node:fs').writeSync(1, require('node:fs').readdirSync('inbox/engineer').sort().join('\\n'))";
    const times = await interleaved(
      {
        bare: node('-e', list),
        list: node(ORCHESTRATE, 'queue', 'list', 'engineer'),
        take: node(ORCHESTRATE, 'queue', 'take', 'engineer'),
        wait: node(ORCHESTRATE, 'run', 'wait.yaml', '--quiet'),
      },
      quick ? 5 : 15,
    );
    const against = `of ${FILES}, x Node listing their names`;
    return [
      row(`queue list ${against}`, times.ratio('list', 'bare')),
      row(`queue take of the oldest ${against}`, times.ratio('take', 'bare')),
      row(`a run that waits for files and finds all ${against}`, times.ratio('wait', 'bare')),
    ];
  });
}
