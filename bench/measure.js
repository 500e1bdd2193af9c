/** Medians of interleaved rounds, and ratios within a round, so that changing load affects all contestants alike. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const HOME = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-bench-home-'));
process.once('exit', () => fs.rmSync(HOME, { recursive: true, force: true }));

/** Runs a command to its end, with `input` on standard input. Returns its wall time in ms and its peak memory in KiB. */
export function timed(argv, options = {}) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(argv[0], argv.slice(1), {
      cwd: options.cwd,
      // Use an empty home: a shell whose input is a socket reads `~/.bashrc`.
      env: { PATH: process.env.PATH, HOME, ...options.env },
      stdio: [
        options.input === undefined ? 'ignore' : 'pipe',
        'ignore',
        options.isQuiet === true ? 'ignore' : 'inherit',
      ],
    });
    // The process may exit before it reads anything, as `node -e 0` does.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input);
    let peakKib = 0;
    const watch =
      options.watchMemory === true
        ? setInterval(() => {
            peakKib = Math.max(peakKib, peakOf(child.pid));
          }, 20)
        : undefined;
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(watch);
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      const wanted = options.exitCode ?? 0;
      if (code === wanted) resolve({ ms, peakKib });
      else reject(new Error(`${argv.join(' ')} ended with exit code ${code}`));
    });
  });
}

function peakOf(pid) {
  try {
    const match = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? 0 : Number(match[1]);
  } catch {
    return 0;
  }
}

/** The time to append a short record to a file and sync it on this machine, in ms. */
export function syncMs() {
  const file = path.join(HOME, 'sync');
  const fd = fs.openSync(file, 'a');
  const record = Buffer.alloc(200, 'x');
  const times = Array.from({ length: 200 }, () => {
    const start = process.hrtime.bigint();
    fs.writeSync(fd, record);
    fs.fdatasyncSync(fd);
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  fs.closeSync(fd);
  return median(times);
}

/** The time that the two syncs of replacing a document in this folder take, in ms: of the new file, and of the folder after the rename. */
export function replaceMs(folder) {
  const [temporary, file] = ['.replaced.tmp', '.replaced'].map((name) => path.join(folder, name));
  const syncing = (fd) => {
    const start = process.hrtime.bigint();
    fs.fsyncSync(fd);
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    fs.closeSync(fd);
    return ms;
  };
  const fd = fs.openSync(temporary, 'w');
  fs.writeSync(fd, Buffer.alloc(1500, 'x'));
  const fileMs = syncing(fd);
  fs.renameSync(temporary, file);
  return fileMs + syncing(fs.openSync(folder, 'r'));
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The time of each contestant in each round, in ms. */
class Times {
  #rounds;

  constructor(rounds) {
    this.#rounds = rounds;
  }

  has(name) {
    return this.#rounds.has(name);
  }

  /** Name → ms. */
  medians() {
    return Object.fromEntries([...this.#rounds].map(([name, list]) => [name, median(list)]));
  }

  /** The median of the ratios of all rounds. The ratio of two medians varies three times as much. */
  ratio(name, to) {
    const [own, others] = [this.#rounds.get(name), this.#rounds.get(to)];
    return median(own.slice(0, others.length).map((ms, round) => ms / others[round]));
  }
}

/**
 * `contestants`: name → async () => ms. Every round runs each of them once. A contestant that has taken `patienceMs` in total is left out of further rounds.
 */
export async function interleaved(contestants, rounds, { patienceMs = Number.POSITIVE_INFINITY } = {}) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const own = times.get(name);
      if (own.reduce((sum, ms) => sum + ms, 0) < patienceMs) own.push(await run());
    }
  }
  return new Times(times);
}

/** One line of the result: what was measured, the ratio, and its limit. */
export function row(name, value, limit) {
  return { name, value, limit, ok: limit === undefined || value <= limit };
}
