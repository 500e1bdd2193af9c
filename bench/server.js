/** The server of the page: when it listens, what it takes while nothing happens, and what a run pays for being watched. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE, writeChain } from './workspace.js';

const LISTENS = `require('node:http').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
const TICKS_A_SECOND = 100;

export async function server({ quick }) {
  return [
    await listening(quick),
    ...(await withManyRuns(quick)),
    row('a run of 1,000 steps that is watched, x the same run unwatched', await watchedRun(quick), 1.03),
  ];
}

async function listening(quick) {
  return inFolder(async (folder) => {
    const until = (argv) => async () => {
      const start = process.hrtime.bigint();
      const started = begin(argv, folder);
      await started.line;
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      await started.end();
      return ms;
    };
    const times = await interleaved(
      {
        bare: until([process.execPath, '-e', LISTENS]),
        ours: until([process.execPath, ORCHESTRATE, 'serve', '--port', '0']),
      },
      quick ? 5 : 20,
    );
    return row('serve listens, x node -e that listens', times.ratio('ours', 'bare'), 2.5);
  });
}

/** With the keeper, a page that is open on the list, and every run read once. */
async function withManyRuns(quick) {
  return inFolder(async (folder) => {
    const count = 1000;
    await makeRuns(folder, count);
    const serving = begin([process.execPath, ORCHESTRATE, 'serve', '--port', '0', '--json'], folder);
    try {
      const { port, token } = JSON.parse(await serving.line);
      const page = client(port, token);
      const { workspaces } = await page.get('workspaces');
      const { total } = await page.get(`w/${workspaces[0].id}/runs?limit=500`);
      if (total !== count) throw new Error(`the page lists ${total} runs instead of ${count}`);
      await page.get(`w/${workspaces[0].id}/inbox`);
      page.stream('runs,inbox');
      await pause(3000);
      const [before, start] = [cpuSeconds(serving.pid), process.hrtime.bigint()];
      await pause(quick ? 6000 : 30_000);
      const percent =
        (100 * (cpuSeconds(serving.pid) - before)) / (Number(process.hrtime.bigint() - start) / 1e9);
      page.close();
      return [
        row(`memory of the server with ${count} runs, in MB`, residentMb(serving.pid), 120),
        row(`CPU of the server with ${count} runs while nothing happens, in percent`, percent, 1),
      ];
    } finally {
      await serving.end();
    }
  });
}

/** The page is open on the list before the run starts, and then on the run too. */
async function watchedRun(quick) {
  return inFolder(async (folder) => {
    writeChain(path.join(folder, 'chain.yaml'), 1000);
    const run = async () =>
      (await timed([process.execPath, ORCHESTRATE, 'run', 'chain.yaml', '--quiet'], { cwd: folder })).ms;
    const runs = path.join(folder, '.orchestrate', 'runs');
    const watched = async () => {
      const serving = begin(
        [process.execPath, ORCHESTRATE, 'serve', '--port', '0', '--json', '--no-keep'],
        folder,
      );
      try {
        const { port, token } = JSON.parse(await serving.line);
        const page = client(port, token);
        const { workspaces } = await page.get('workspaces');
        await page.get(`w/${workspaces[0].id}/runs`);
        page.stream('runs,inbox');
        const before = new Set(fs.readdirSync(runs));
        const ended = run();
        let newest;
        while (newest === undefined) {
          await pause(5);
          newest = fs.readdirSync(runs).find((name) => !before.has(name) && /^\d{8}T/.test(name));
        }
        page.stream(`run:${newest}`);
        const ms = await ended;
        page.close();
        return ms;
      } finally {
        await serving.end();
      }
    };
    await run();
    const times = await interleaved({ alone: run, watched }, quick ? 3 : 41);
    return times.ratio('watched', 'alone');
  });
}

/** One run, and copies of its folder under other ids: readers take the id from the folder. */
async function makeRuns(folder, count) {
  fs.writeFileSync(
    path.join(folder, 'ten.yaml'),
    `name: ten\nsteps:\n${Array.from({ length: 10 }, (_, i) => `  - {name: S${i}, command: [echo, "${i}"]}\n`).join('')}`,
  );
  await timed([process.execPath, ORCHESTRATE, 'run', 'ten.yaml', '--quiet'], { cwd: folder });
  const runs = path.join(folder, '.orchestrate', 'runs');
  const [first] = fs.readdirSync(runs).filter((name) => /^\d{8}T/.test(name));
  for (let index = 1; index < count; index += 1) {
    const id = `${first.slice(0, -6)}${index.toString(36).padStart(6, '0')}`;
    fs.cpSync(path.join(runs, first), path.join(runs, id), { recursive: true });
  }
}

/** A process, the first line that it prints, and its end. */
function begin(argv, cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd };
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  const line = new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('error', reject);
    void ended.then((code) => reject(new Error(`${argv.join(' ')} ended with ${code}`)));
  });
  const end = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { pid: child.pid, line, end };
}

function client(port, token) {
  const open = new AbortController();
  const ask = (address) =>
    fetch(`http://127.0.0.1:${port}/api/v1/${address}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: open.signal,
    });
  return {
    get: async (address) => (await ask(address)).json(),
    stream(topics) {
      void ask(`events?topics=${topics}`)
        .then(async (response) => {
          for await (const _ of response.body);
        })
        .catch(() => {});
    },
    close: () => open.abort(),
  };
}

function cpuSeconds(pid) {
  const [, ...fields] = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [utime, stime] = fields.join(') ').split(' ').slice(11, 13).map(Number);
  return (utime + stime) / TICKS_A_SECOND;
}

function residentMb(pid) {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
