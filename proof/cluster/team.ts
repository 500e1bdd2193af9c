/** A workspace with workers, each a process that can be killed and replaced, and what they have done there. */
import fs from 'node:fs';
import path from 'node:path';
import { query } from '../../test/rig/postgres/server.ts';
import { crowding } from '../crowding.ts';
import { must } from '../must.ts';
import type { Started } from '../program.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Trial } from '../suite.ts';

const DEAD_AFTER_SEC = 6;
/** On a busy machine: workers that get no processor for a while would be given up. */
const BUSY_DEAD_AFTER_SEC = 12;
const BUSY = 4;

/** Workers and all they start have it in their environment. */
const WORKER_VARIABLE = 'PROOF_WORKER';
const DATABASE_VARIABLE = 'ORCHESTRATE_DATABASE_URL';
/** Also if the schema does not exist. */
const UNDEFINED_TABLE = '42P01';
const POLL_MS = 50;
/** Until nothing of a killed worker is left. */
const LONGEST_LEFT_MS = 2000;

export interface TeamWorker extends Started {
  readonly name: string;
  readonly isHost: boolean;
  /** How it ended; undefined while it runs. */
  end(): string | undefined;
}

export interface WorkerPlace {
  /** The start of its command line. */
  readonly via?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How it reaches the database; default: as the suite does. */
  readonly url?: string;
  /** Its machine; default: the workspace. */
  readonly site?: Site;
}

export interface TeamOptions {
  readonly url: string;
  readonly files: Readonly<Record<string, string>>;
  /** It must be shorter than what the point does. */
  readonly mostDeadAfterSec?: number;
  /** The address of the repository through which files travel. */
  readonly hub?: string;
  /** Where steps write what they have started; default: the workspace. */
  readonly outside?: Site;
}

/** One line of `started`, which every step of the workflows of this suite writes first. */
export interface StartedStep {
  readonly item: string;
  readonly worker: string;
}

export class Team {
  readonly site: Site;
  readonly url: string;
  readonly deadAfterSec: number;
  readonly #trial: Trial;
  readonly #hub: string | undefined;
  readonly #outside: Site;
  #named = 0;

  constructor(trial: Trial, { url, files, mostDeadAfterSec, hub, outside }: TeamOptions) {
    const deadAfterSec = crowding() > BUSY ? BUSY_DEAD_AFTER_SEC : DEAD_AFTER_SEC;
    this.deadAfterSec = Math.min(deadAfterSec, mostDeadAfterSec ?? deadAfterSec);
    this.#trial = trial;
    this.url = url;
    this.#hub = hub;
    this.site = createSite(trial, { [DATABASE_VARIABLE]: url });
    this.#outside = outside ?? this.site;
    const engine = this.engineFile;
    const workspace = hub === undefined ? '' : `workspace: {git: {hub: '${hub}'}}\n`;
    this.site.write({ '.orchestrate/engine.yaml': `${engine}${workspace}`, ...files });
  }

  /** For other machines. */
  get engineFile(): string {
    return `poll_ms: 200\ndead_after_sec: ${this.deadAfterSec}\nmax_worker_deaths: 50\n`;
  }

  /** Resolves when it takes work. `hosts`: only runs; `calls`: only steps. */
  async worker(does: 'all' | 'hosts' | 'calls' = 'all', place: WorkerPlace = {}): Promise<TeamWorker> {
    this.#named += 1;
    const name = `w${this.#named}`;
    const flags = [
      ...(does === 'hosts' ? ['--labels', 'none'] : does === 'calls' ? ['--no-runs'] : []),
      ...(this.#hub === undefined ? [] : ['--hub', this.#hub]),
    ];
    const { site = this.site } = place;
    const started = site.start(['worker', '--trust', '--name', name, ...flags], {
      env: { [WORKER_VARIABLE]: this.#mark(name), [DATABASE_VARIABLE]: place.url ?? this.url, ...place.env },
      ...(place.via === undefined ? {} : { via: place.via }),
    });
    let end: string | undefined;
    void started.ended.then(({ exitCode, signal, stderr }) => {
      end = `${signal ?? exitCode}: ${stderr}`;
    });
    await this.until(`worker ${name}`, async () => {
      must(end === undefined, () => ({ expected: `that worker ${name} starts`, found: end ?? '' }));
      return (await this.count(`orchestrate.workers where name = '${name}' and dead_at is null`)) === 1;
    });
    return { ...started, name, isHost: does !== 'calls', end: () => end };
  }

  /** For workers that nobody killed. */
  mustLive(workers: readonly TeamWorker[]): void {
    for (const { name, end } of workers)
      must(end() === undefined, () => ({ expected: `that worker ${name} lives`, found: end() ?? '' }));
  }

  /** Detached; returns its id. */
  async begin(file: string): Promise<string> {
    const argv = ['run', file, '--engine', '--detach', '--trust'];
    const ended = await this.site.run(argv);
    mustEnd(ended, 0, argv);
    return ended.stdout.trim();
  }

  /** Waits for the end of the run's turn. */
  async end(runId: string): Promise<string> {
    let status = '';
    await this.until(`the end of run ${runId}`, async () => {
      const [row] = await this.rows(
        `select status from orchestrate.runs where run_id = '${runId}' and state in ('ended', 'waiting')`,
      );
      status = String(row?.['status'] ?? '');
      return row !== undefined;
    });
    return status;
  }

  /** The rows of a run. */
  events(runId: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.rows(`select * from orchestrate.events where run_id = '${runId}' order by seq`);
  }

  async hostOf(runId: string): Promise<string | undefined> {
    const [row] = await this.rows(
      `select name from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}'`,
    );
    return row === undefined ? undefined : String(row['name']);
  }

  async kill(worker: TeamWorker): Promise<void> {
    this.mustLive([worker]);
    process.kill(worker.pid, 'SIGKILL');
    await worker.ended;
  }

  /** Nothing that a killed worker started is left. */
  async mustBeGone(worker: string): Promise<void> {
    const since = performance.now();
    for (;;) {
      const left = startedBy(this.#mark(worker));
      const waitedMs = performance.now() - since;
      if (left.length === 0) {
        this.#trial.took('until the processes of a killed worker were gone', waitedMs);
        return;
      }
      must(waitedMs < LONGEST_LEFT_MS * crowding(), () => ({
        expected: `no process of the killed worker ${worker}`,
        found: left.join('\n'),
      }));
      await pause(POLL_MS);
    }
  }

  /** In the order of their starts. */
  get started(): readonly StartedStep[] {
    return this.#outside.lines('started').map((line) => {
      const [item = '', mark = ''] = line.split(' ');
      return { item, worker: mark.slice(mark.indexOf('.') + 1) };
    });
  }

  /** Other points have workers of the same names. */
  #mark(worker: string): string {
    return `${path.basename(this.site.folder)}.${worker}`;
  }

  /** None as long as no worker has created the tables. */
  async rows(statement: string): Promise<readonly { readonly [column: string]: unknown }[]> {
    try {
      return await query(this.url, statement);
    } catch (problem) {
      if ((problem as { readonly code?: string }).code === UNDEFINED_TABLE) return [];
      throw problem;
    }
  }

  async count(from: string): Promise<number> {
    const [row] = await this.rows(`select count(*)::integer as count from ${from}`);
    return Number(row?.['count'] ?? 0);
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (this.#trial.signal.aborted) throw new Error(`waited for ${what}`);
      await pause(POLL_MS);
    }
  }
}

/** What a step does first, in a shell whose first argument is the name of the item. */
export const SAYS_STARTED = `echo "$1 $${WORKER_VARIABLE}" >> started`;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function startedBy(mark: string): readonly string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))) return [];
        const variables = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!variables.includes(`${WORKER_VARIABLE}=${mark}`)) return [];
        return [`${pid}: ${fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return [];
      }
    });
}
