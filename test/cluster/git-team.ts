/** Machines that share a database and a bare repository, and nothing else: each has a folder, a home and a cache of its own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Ended, type Started, until, Workspace } from '../rig/orchestrate.ts';
import { Connection } from '../rig/postgres/connection.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import type { TeamWorker } from './team.ts';

export class Machine {
  readonly workspace: Workspace;
  readonly #env: { readonly [name: string]: string };

  constructor(workspace: Workspace, env: { readonly [name: string]: string }) {
    this.workspace = workspace;
    const home = temporaryFolder();
    this.#env = {
      ...{ HOME: home, XDG_CACHE_HOME: join(home, '.cache') },
      ...{ XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.state') },
      ...env,
    };
  }

  /** What its worker keeps of the hub. */
  get cache(): string {
    return join(this.#env['XDG_CACHE_HOME'] ?? '', 'orchestrate/hubs');
  }

  start(...argv: readonly string[]): Started {
    return this.workspace.start(argv, { env: this.#env });
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return this.start(...argv).ended;
  }

  /** The checkouts that are there. */
  checkouts(): readonly string[] {
    if (!fs.existsSync(this.cache)) return [];
    const all = fs.readdirSync(this.cache, { recursive: true, encoding: 'utf8' });
    return all.filter((path) => /\/(?:checkouts|runs|repository\.git\/worktrees)\/[^/]+$/.test(path));
  }

  git(...argv: readonly string[]): string {
    const options = { encoding: 'utf8', env: { ...process.env, ...this.#env } } as const;
    return execFileSync('git', ['-C', this.workspace.folder, ...argv], options).trimEnd();
  }
}

export interface GitWorker extends TeamWorker {
  readonly machine: Machine;
}

export class GitTeam {
  readonly url: string;
  readonly #database: Connection;
  readonly hub: string;
  /** Where runs are started: a checkout of the project. */
  readonly user: Machine;

  constructor(url: string, files: { readonly [path: string]: string }, git = '') {
    this.url = url;
    this.#database = new Connection(url);
    this.hub = join(temporaryFolder(), 'hub.git');
    execFileSync('git', ['init', '--quiet', '--bare', this.hub]);
    const engine = [
      ...['poll_ms: 100', 'dead_after_sec: 3'],
      `workspace: {git: {hub: '${this.hub}'${git === '' ? '' : `, ${git}`}}}\n`,
    ].join('\n');
    const workspace = new Workspace({
      ...{ '.gitignore': '.orchestrate/\nignored/\n', '.orchestrate/engine.yaml': engine },
      ...files,
    });
    this.user = new Machine(workspace, this.#env);
    this.user.git('init', '--quiet', '--initial-branch=main');
    this.user.git('config', 'user.name', 'Test');
    this.user.git('config', 'user.email', 'test@example.com');
    this.user.git('add', '--all');
    this.user.git('commit', '--quiet', '--message', 'first');
  }

  get #env(): { readonly [name: string]: string } {
    return { ORCHESTRATE_DATABASE_URL: this.url };
  }

  /** A new machine without anything of the project. */
  machine(env: { readonly [name: string]: string } = {}): Machine {
    const engine = 'poll_ms: 100\ndead_after_sec: 3\n';
    return new Machine(new Workspace({ '.orchestrate/engine.yaml': engine }), { ...this.#env, ...env });
  }

  /** Resolves when it takes work. */
  async worker(
    name: string,
    { flags = [], on = this.machine() }: { flags?: readonly string[]; on?: Machine } = {},
  ): Promise<GitWorker> {
    const started = on.start('worker', '--trust', '--hub', this.hub, '--name', name, ...flags);
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
    onTestFinished(() => void started.child.kill('SIGKILL'));
    return { ...started, name, machine: on, stderr: () => stderr };
  }

  run(...argv: readonly string[]): Promise<Ended> {
    return this.user.run(...argv);
  }

  async detached(file: string): Promise<string> {
    const { stdout, stderr, exitCode } = await this.run('run', file, '--engine', '--detach', '--trust');
    if (exitCode !== 0) throw new Error(`${exitCode}: ${stderr}`);
    return stdout.trim();
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

  async hostOf(runId: string): Promise<string> {
    const row = await this.untilRow(
      `select name from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}'`,
    );
    return String(row['name']);
  }

  async onlyRun(): Promise<string> {
    const [row] = await this.rows('select run_id from orchestrate.runs');
    return String(row?.['run_id']);
  }

  /** Waits for the end of the run's turn. */
  async ended(runId: string): Promise<string> {
    const row = await this.untilRow(
      `select status from orchestrate.runs where run_id = '${runId}' and state in ('ended', 'waiting')`,
    );
    return String(row['status']);
  }

  async events(runId: string): Promise<readonly { readonly [name: string]: unknown }[]> {
    const rows = await this.rows(
      `select line from orchestrate.events where run_id = '${runId}' order by seq`,
    );
    return rows.map(({ line }) =>
      JSON.parse(
        String(line)
          .replace(/^[^{]*/, '')
          .replace(/[^}]*$/, ''),
      ),
    );
  }

  atHub(...argv: readonly string[]): string {
    return execFileSync('git', ['-C', this.hub, ...argv], { encoding: 'utf8' }).trimEnd();
  }

  /** The contents of a file of a run now. */
  file(runId: string, path: string): string {
    const ref = `refs/orchestrate/${runId}/head:${path}`;
    return execFileSync('git', ['-C', this.hub, 'show', ref], { encoding: 'utf8' });
  }

  files(runId: string): readonly string[] {
    return this.atHub('ls-tree', '-r', '--name-only', `refs/orchestrate/${runId}/head`).split('\n');
  }

  refs(): readonly string[] {
    return this.atHub('for-each-ref', '--format=%(refname)')
      .split('\n')
      .filter((ref) => ref !== '');
  }
}
