/** What looking at a session of 2,000 tasks costs, against bare Node reading the same files. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const TASKS = 2000;

export async function tasks({ quick }) {
  return inFolder(async (folder) => {
    const session = path.join(folder, '.workflow', 'WFS-big');
    const node =
      (...argv) =>
      async () =>
        (await timed([process.execPath, ...argv], { cwd: folder })).ms;
    await node(ORCHESTRATE, 'session', 'start', 'big')();
    for (let n = 1; n <= TASKS; n += 1) {
      fs.writeFileSync(
        path.join(session, '.task', `IMPL-${n}.json`),
        `${JSON.stringify(task(n), null, 2)}\n`,
      );
    }
    await node(ORCHESTRATE, 'views')();
    const read =
      "const fs = require('node:fs'), dir = '.workflow/WFS-big/.task/'; for (const name of fs.readdirSync(dir)) fs.readFileSync(dir + name, 'utf8')";
    const times = await interleaved(
      {
        read: node('-e', read),
        status: node(ORCHESTRATE, 'session', 'status'),
        list: node(ORCHESTRATE, 'task', 'list'),
        views: node(ORCHESTRATE, 'views'),
      },
      quick ? 5 : 15,
    );
    const against = `of ${TASKS} tasks, x bare node reading the files`;
    return [
      row(`session status ${against}`, times.status / times.read, 2),
      row(`task list ${against}`, times.list / times.read, 2),
      row(`views ${against}`, times.views / times.read, 2),
    ];
  });
}

function task(n) {
  return {
    id: `IMPL-${n}`,
    title: `Build part ${n} of the system, carefully`,
    status: n % 3 === 0 ? 'completed' : 'pending',
    meta: { type: 'feature', agent: 'code-developer' },
    context: {
      requirements: ['It works', 'It is fast', `It fits part ${n - 1}`],
      focus_paths: [`src/part-${n}`, `test/part-${n}`],
      acceptance: ['command: npm test', 'reviewed'],
      depends_on: n > 10 ? [`IMPL-${n - 10}`, `IMPL-${n - 7}`] : [],
      shared_context: { style: 'functional', database: 'postgres' },
    },
    flow_control: {
      pre_analysis: [
        {
          step: 'look',
          action: 'look around',
          command: 'bash(ls [focus_paths])',
          output_to: 'files',
          on_error: 'skip_optional',
        },
      ],
      implementation_approach: {
        task_description: 'Implement the part following [shared_context.style] patterns in [focus_paths].',
        modification_points: [`Add the module (src/part-${n}/index.ts)`, 'Export it'],
        logic_flow: ['input → check → store → answer'],
      },
      target_files: [`src/part-${n}/index.ts:main:1-40`],
    },
  };
}
