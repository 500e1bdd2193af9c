/**
 * Opening a large run on the page: the index of the run, made by the real `orchestrate serve`, compared with a program of ten lines that
 * decodes the journal once: it reads the file, checks the checksum of every line and parses every line. Both count the time of the thread that
 * does the work, from the kernel's books, so that the load of the machine does not count.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { longJournal } from './journal.js';
import { median, row } from './measure.js';
import { inFolder, ORCHESTRATE, ROOT } from './workspace.js';

const PROBE = path.join(ROOT, 'bench', 'stall-probe.cjs');

/** What decoding once means, in this benchmark and in the limits of `serve`. */
const DECODE = `
const { crc32 } = require('node:zlib');
const fs = require('node:fs');
const busy = () => Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
const since = busy();
const bytes = fs.readFileSync(process.argv[1]);
let wrong = 0;
for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
  const line = bytes.toString('utf8', start, end);
  if (crc32(bytes.subarray(start, end - 18)) !== Number.parseInt(line.slice(-10, -2), 16)) wrong += 1;
  JSON.parse(line);
}
if (wrong > 0) throw new Error(wrong + ' lines are damaged');
console.log(busy() - since);
`;

export async function runPage({ quick }) {
  const rows = [];
  for (const { steps, limit } of [
    { steps: 10_000, limit: 2 },
    ...(quick ? [] : [{ steps: 100_000, limit: 1.3 }]),
  ]) {
    rows.push(
      ...(await inFolder(async (folder) => {
        const { file, text } = await longJournal(folder, steps);
        fs.writeFileSync(file, text);
        const rounds = [];
        for (let round = 0; round < (quick ? 5 : 3); round += 1) {
          const decoding = Number(await output([process.execPath, '-e', DECODE, file], folder));
          rounds.push({ ...(await opened(folder, path.basename(path.dirname(file)))), decoding });
        }
        const of = (pick) => median(rounds.map(pick));
        const name = `a run of ${steps} steps on the page`;
        return [
          row(
            `${name}, x decoding its journal once`,
            of(({ opening, decoding }) => opening / decoding),
            limit,
          ),
          row(
            `${name}: the longest the server answers nothing else, in ms`,
            of(({ stall }) => stall),
            50,
          ),
          ...(steps < 100_000
            ? []
            : [
                row(
                  `${name}: memory of the server, in MiB`,
                  of(({ mib }) => mib),
                  220,
                ),
              ]),
        ];
      })),
    );
  }
  return rows;
}

/** Opens the run on a server of its own, as the page does: its summary, the first rows, the flow and the timeline. */
async function opened(folder, run) {
  const probe = path.join(folder, 'stall');
  const server = spawn(
    process.execPath,
    ['--require', PROBE, ORCHESTRATE, 'serve', '--port', '0', '--json', '--no-keep'],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, STALL_FILE: probe },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    const { port, token } = JSON.parse(await firstLine(server.stdout));
    const get = async (address) => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${address}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (reply.status !== 200) throw new Error(`${address}: status ${reply.status}`);
      return reply.json();
    };
    const [{ id }] = (await get('workspaces')).workspaces;
    const before = busyMs(server.pid);
    const { total } = await get(`w/${id}/runs/${run}/steps?from=0&limit=100`);
    const opening = busyMs(server.pid) - before;
    if (total < 1000) throw new Error(`the page shows ${total} steps`);
    await Promise.all(['', '/flow', '/timeline?px=600'].map((part) => get(`w/${id}/runs/${run}${part}`)));
    const mib =
      Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
    server.kill('SIGTERM');
    await ended;
    return { opening, mib, stall: Number(fs.readFileSync(probe, 'utf8')) };
  } finally {
    server.kill('SIGKILL');
  }
}

/** How long the main thread of the process has worked. */
function busyMs(pid) {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function firstLine(stream) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stream.once('close', () => reject(new Error('the server ended')));
  });
}

async function output([program, ...argv], cwd) {
  const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return text;
}
