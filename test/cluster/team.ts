/** A workspace whose runs are carried out by workers: real processes over a real database. */
import { onTestFinished } from 'vitest';
import { type Ended, type Started, type StartOptions, until, Workspace } from '../rig/orchestrate.ts';
import { Connection } from '../rig/postgres/connection.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

export interface TeamWorker extends Started {
  readonly name: string;
  readonly stderr: () => string;
}

const ENGINE = ['poll_ms: 100', 'dead_after_sec: 3', ''].join('\n');

export class Team {
  readonly workspace: Workspace;
  readonly url: string;
  readonly #database: Connection;

  constructor(url: string, files: { readonly [path: string]: string }) {
    this.url = url;
    this.#database = new Connection(url);
    this.workspace = new Workspace({ '.orchestrate/engine.yaml': ENGINE, ...files });
  }

  get env(): { readonly [name: string]: string } {
    return { ORCHESTRATE_DATABASE_URL: this.url };
  }

  /** Resolves when it takes work. */
  async worker(name: string, ...flags: readonly (string | StartOptions)[]): Promise<TeamWorker> {
    const options = flags.filter((flag) => typeof flag !== 'string')[0] ?? {};
    const argv = flags.filter((flag) => typeof flag === 'string');
    const started = this.start(['worker', '--trust', '--name', name, ...argv], options);
    let stderr = '';
    started.child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    let isOver = false;
    void started.ended.then(() => {
      isOver = true;
    });
    await until(() => stderr.includes(' takes ') || isOver);
    if (isOver) throw new Error(`the worker ended: ${stderr}`);
    // A worker that is still there when the test ends must not wait for its work.
    onTestFinished(() => void started.child.kill('SIGKILL'));
    return { ...started, name, stderr: () => stderr };
  }

  start(argv: readonly string[], options: StartOptions = {}): Started {
    return this.workspace.start(argv, { ...options, env: { ...this.env, ...options.env } });
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return this.start(argv).ended;
  }

  rows(statement: string): Promise<readonly { readonly [column: string]: unknown }[]> {
    return this.#database.query(statement);
  }

  /** Waits until the statement gives a row. */
  async untilRow(statement: string): Promise<{ readonly [column: string]: unknown }> {
    for (;;) {
      const [row] = await this.rows(statement);
      if (row !== undefined) return row;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Starts it, and waits for the end of its turn. */
  async carriedOut(file: string): Promise<string> {
    const { stdout } = await this.run('run', file, '--engine', '--detach');
    const runId = stdout.trim();
    await this.untilState(runId, ['waiting', 'ended']);
    return runId;
  }

  async untilState(runId: string, states: readonly string[]): Promise<void> {
    const list = states.map((state) => `'${state}'`).join(', ');
    await this.untilRow(`select from orchestrate.runs where run_id = '${runId}' and state in (${list})`);
  }

  /** The worker that hosts a run, and the one that carries out a step. */
  async hostOf(runId: string): Promise<string> {
    const row = await this.untilRow(
      `select name from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}'`,
    );
    return String(row['name']);
  }

  async workerOf(key: string): Promise<string> {
    const row = await this.untilRow(
      `select name from orchestrate.calls c join orchestrate.workers w on w.executor = c.executor
       where key = '${key}' and c.started_at is not null and c.ended_at is null`,
    );
    return String(row['name']);
  }
}

/** A folder that knows the database and has none of its runs: another machine. */
export class Elsewhere {
  readonly workspace = new Workspace();
  readonly cache = temporaryFolder();
  readonly #team: Team;

  constructor(team: Team) {
    this.#team = team;
  }

  get env(): { readonly [name: string]: string } {
    return { ...this.#team.env, XDG_CACHE_HOME: this.cache };
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return this.workspace.run(argv, { env: this.env });
  }
}
