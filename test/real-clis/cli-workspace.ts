/** A workspace whose agents are the real CLIs, found on PATH as a user's are, and a scripted model that they ask. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { parseRunId } from '../../src/model/ids.ts';
import { runMark } from '../../src/process/environment.ts';
import { endMarkedProcesses } from '../../src/process/terminate-tree.ts';
import { markedProcesses } from '../rig/marked-processes.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { type Ended, type Started, until, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { type Cli, type CliSite, cleanEnvironment, MADE_UP_KEY } from './clis.ts';

export type Event<Type extends JournalEvent['type']> = Extract<JournalEvent, { readonly type: Type }>;

export class CliWorkspace {
  readonly workspace: Workspace;
  readonly #clis: readonly Cli[];
  readonly #home: string;
  #uid: number | undefined;

  constructor(clis: readonly Cli[], files: { readonly [path: string]: string }) {
    this.workspace = new Workspace(files);
    this.#clis = clis;
    this.#home = temporaryFolder();
    onTestFinished(async () => {
      if (this.workspace.runs().length > 0) await endMarkedProcesses(this.#mark(), { graceMs: 0 });
    });
  }

  async serve(turns: readonly Turn[]): Promise<ModelServer> {
    const server = await startModelServer(turns);
    onTestFinished(() => server.close());
    return server;
  }

  start(argv: readonly string[], server: ModelServer, site: Partial<CliSite> = {}): Started {
    return this.workspace.start(argv, { env: this.environment(server, site), ...this.#user() });
  }

  run(argv: readonly string[], server: ModelServer, site: Partial<CliSite> = {}): Promise<Ended> {
    return this.start(argv, server, site).ended;
  }

  resume(server: ModelServer): Promise<Ended> {
    return this.run(['resume', 'last'], server);
  }

  events<Type extends JournalEvent['type']>(type: Type): readonly Event<Type>[] {
    if (this.workspace.runs().length === 0) return [];
    const journal = this.workspace.journal() as readonly JournalEvent[];
    return journal.filter((event) => event.type === type) as unknown as readonly Event<Type>[];
  }

  /** A file of the run's folder. */
  readRun(path: string): string {
    return fs.readFileSync(join(this.workspace.runFolder(), path), 'utf8');
  }

  /** Waits until the program has recorded that the agent is working; returns its conversation. */
  async worked(): Promise<string> {
    const file = (): string => join(this.workspace.runFolder(), 'responses', '001-Ask.session.json');
    let kept: { readonly sessionId?: string; readonly worked?: boolean } = {};
    await until(() => {
      if (this.workspace.runs().length > 0 && fs.existsSync(file()))
        kept = JSON.parse(fs.readFileSync(file(), 'utf8'));
      return kept.worked === true;
    });
    return kept.sessionId ?? '';
  }

  /** Removes everything the CLI has stored. The user's settings of Orchestrate stay. */
  forgetConversations(): void {
    for (const name of fs.readdirSync(this.#home)) {
      if (name !== '.config') fs.rmSync(join(this.#home, name), { recursive: true, maxRetries: 5 });
    }
  }

  /** Processes of the last run that are still running. */
  leftRunning(): Promise<readonly number[]> {
    return markedProcesses(this.#mark());
  }

  /** Files below `.orchestrate` that contain the key. */
  filesWithKey(): readonly string[] {
    const { folder } = this.workspace;
    return this.workspace.list('.orchestrate').filter((name) => {
      const file = join(folder, '.orchestrate', name);
      return fs.statSync(file).isFile() && fs.readFileSync(file).includes(MADE_UP_KEY);
    });
  }

  /** True after every end, successful or not. */
  async expectNothingLeft(): Promise<void> {
    expect(await this.leftRunning(), 'processes left running').toEqual([]);
    expect(this.filesWithKey(), 'files that hold the key').toEqual([]);
  }

  /** The variables and settings with which the CLIs ask this model. */
  environment(server: ModelServer, site: Partial<CliSite> = {}): { readonly [name: string]: string } {
    const bin = join(this.#home, 'bin');
    fs.mkdirSync(bin, { recursive: true });
    for (const cli of this.#clis) {
      const words = cli.command().map((word) => `'${word}'`);
      fs.writeFileSync(join(bin, cli.name), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
    }
    const clean = cleanEnvironment(this.#home);
    const settled = this.#clis.map((cli) => cli.settle({ home: this.#home, url: server.url, ...site }));
    return {
      ...clean,
      ...Object.assign({}, ...settled),
      ...site.variables,
      PATH: `${bin}:${clean['PATH']}`,
    };
  }

  /** From now on, everything runs as this user, to whom the workspace and the home belong. */
  runAs(uid: number): void {
    this.#uid = uid;
  }

  #user(): { readonly uid?: number } {
    const uid = this.#uid;
    if (uid === undefined) return {};
    execFileSync('chown', ['-R', `${uid}:${uid}`, this.workspace.folder, this.#home]);
    return { uid };
  }

  #mark(): string {
    const runId = parseRunId(this.workspace.runs().at(-1) ?? '') ?? '';
    return runMark({ runId, directory: fs.realpathSync(this.workspace.runFolder()) });
  }
}
