/** Reading a session of 2,000 tasks, compared with bare Node reading the same files. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const TASKS = 2000;

export async function tasks({ quick }) {
  return inFolder(async (folder) => {
    const session = path.join(folder, '.workflow', 'WFS-big');
    const node = async (...argv) =>
      (await timed([process.execPath, ...argv], { cwd: folder, isQuiet: true })).ms;
    const without =
      (names, ...argv) =>
      () => {
        for (const name of names) fs.rmSync(path.join(session, name), { force: true });
        return node(ORCHESTRATE, ...argv);
      };
    await node(ORCHESTRATE, 'session', 'start', 'big');
    for (let n = 1; n <= TASKS; n += 1) {
      fs.writeFileSync(
        path.join(session, '.task', `IMPL-${n}.json`),
        `${JSON.stringify(task(n), null, 2)}\n`,
      );
    }
    const rounds = quick ? 5 : 15;
    const read = () => node('-e', READ);
    await node(ORCHESTRATE, 'views');
    const texts = path.join(folder, 'texts');
    fs.mkdirSync(texts);
    for (const name of MARKDOWN) fs.copyFileSync(path.join(session, name), path.join(texts, name));
    const first = await interleaved(
      {
        read,
        write: () => node('-e', WRITE),
        views: without(VIEWS, 'views'),
        status: without([INDEX], 'session', 'status'),
        list: without([INDEX], 'task', 'list'),
      },
      rounds,
    );
    await settled(session, () => node(ORCHESTRATE, 'views'));
    const again = await interleaved(
      {
        read,
        views: without([], 'views'),
        status: without([], 'session', 'status'),
        list: without([], 'task', 'list'),
      },
      rounds,
    );
    return [
      ...rows('for the first time', first),
      row(
        `views of ${TASKS} tasks for the first time, x bare node reading the files and writing the views`,
        first.ratio('views', 'write'),
        2,
      ),
      ...rows('once more', again),
      row(`views of ${TASKS} tasks once more, ${READING}`, again.ratio('views', 'read'), 2),
    ];
  });
}

const INDEX = '.task-index.json';
const MARKDOWN = ['TODO_LIST.md', 'IMPL_PLAN.md'];
const VIEWS = [INDEX, ...MARKDOWN];
const READ =
  "const fs = require('node:fs'), dir = '.workflow/WFS-big/.task/'; for (const name of fs.readdirSync(dir)) fs.readFileSync(dir + name, 'utf8')";
/** The same, and a view is written and synced as the program does it. */
const WRITE = `${READ}; for (const name of fs.readdirSync('texts')) fs.writeFileSync('texts/' + name, fs.readFileSync('texts/' + name), { flush: true })`;
const READING = 'x bare node reading the files';

/** The index skips files that have just changed, and change times cannot be set: wait until the files are old enough. */
async function settled(session, writeViews) {
  do await writeViews();
  while (!fs.existsSync(path.join(session, INDEX)));
}

function rows(when, times) {
  const against = `of ${TASKS} tasks ${when}, ${READING}`;
  return [
    row(`session status ${against}`, times.ratio('status', 'read'), 2),
    row(`task list ${against}`, times.ratio('list', 'read'), 2),
  ];
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
