/** A project with iterate workspaces, the real binary, and an agent on PATH that obeys the test. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metadata } from '../../src/iterate/workspace/metadata.ts';
import { type Ended, type Started, type StartOptions, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
export const CLAUDE_ITERATE = path.join(here, '..', '..', 'bin', 'claude-iterate.js');
export const TASK = 'claude-iterate/workspaces/task';
export const NO_VERIFY = ['--no-verify', '--no-delay'];

export interface Turn {
  readonly files?: { readonly [path: string]: unknown };
  readonly events?: readonly object[];
  readonly text?: string;
  readonly cost?: number;
  readonly hang?: boolean;
  /** Ignores requests to end. */
  readonly stubborn?: boolean;
  /** Keeps running after its result. */
  readonly lingers?: boolean;
  readonly crash?: string;
  readonly exitCode?: number;
  readonly error?: object;
  /** A file in the agent's folder that the test creates. */
  readonly waitFor?: string;
}

export interface Script {
  readonly calls?: readonly Turn[];
  readonly verifications?: readonly Turn[];
  readonly validations?: readonly Turn[];
}

export interface Call {
  readonly argv: readonly string[];
  readonly prompt: string;
  readonly pid: number;
  readonly cwd: string;
}

export const PASS = '# Report\n\n✅ VERIFIED COMPLETE\n\n## Summary\n\nAll there.\n';
export const FAIL =
  '# Report\n\n❌ INCOMPLETE\n\n**Confidence Level**: High\n**Recommended Action**: Write the tests.\n\n## Summary\n\nTests are missing.\nStill.\n\n### Incomplete Requirements\n\n1. There is no test of `add`.\n2. The docs are old.\n';

/** A turn that writes this status. */
export function status(value: object, more: Turn = {}): Turn {
  return { ...more, files: { ...more.files, [`${TASK}/.status.json`]: value } };
}

export class Project extends Workspace {
  /** The archives in a folder, without its `.gitignore`. */
  archives(folder = 'claude-iterate/archive'): readonly string[] {
    return this.list(folder).filter((name) => name.endsWith('.gz'));
  }

  /** Files outside the project: the agent with its records, and temporary files. */
  readonly elsewhere = temporaryFolder();

  constructor(files: { readonly [path: string]: string } = {}) {
    super(files);
    fs.mkdirSync(path.join(this.elsewhere, 'bin', 'calls'), { recursive: true });
    fs.mkdirSync(path.join(this.elsewhere, 'tmp'));
  }

  /** A workspace `task` with instructions, created by the program itself. */
  async task(flags: readonly string[] = [], instructions = 'Complete the task.\n'): Promise<void> {
    const ended = await this.iterate(['init', 'task', ...flags]);
    if (ended.exitCode !== 0) throw new Error(ended.stderr);
    this.write({ [`${TASK}/INSTRUCTIONS.md`]: instructions });
  }

  /** Makes the project a repository with its files as the first commit. */
  repository(): void {
    this.git('init', '--quiet', '--initial-branch', 'main');
    fs.appendFileSync(path.join(this.folder, '.git', 'info', 'exclude'), '.config\n.home\n');
    this.git('config', 'user.name', 'Test');
    this.git('config', 'user.email', 'test@example.org');
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'start');
  }

  git(...argv: readonly string[]): string {
    return execFileSync('git', argv, { cwd: this.folder, encoding: 'utf8' });
  }

  /** Clears the recorded calls. */
  agent(script: Script): void {
    const source = fs.readFileSync(path.join(here, 'stand-in.cjs'), 'utf8');
    fs.rmSync(path.join(this.elsewhere, 'bin'), { recursive: true });
    writeFiles(this.elsewhere, {
      'bin/claude': `#!${process.execPath}\n${source}`,
      'bin/calls/script.json': JSON.stringify(script),
    });
    fs.chmodSync(path.join(this.elsewhere, 'bin', 'claude'), 0o755);
  }

  /** Lets a waiting call continue. */
  allow(name: string): void {
    fs.writeFileSync(path.join(this.elsewhere, 'bin', 'calls', name), '');
  }

  calls(kind: keyof Script = 'calls'): readonly Call[] {
    const folder = path.join(this.elsewhere, 'bin', 'calls');
    return fs
      .readdirSync(folder)
      .filter((name) => name.startsWith(`${kind}-`))
      .sort((a, b) => Number(/\d+/.exec(a)?.[0]) - Number(/\d+/.exec(b)?.[0]))
      .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Call);
  }

  metadata(name = 'task'): Metadata {
    return JSON.parse(this.read(`claude-iterate/workspaces/${name}/.metadata.json`)) as Metadata;
  }

  log(): string {
    const [name] = this.list(TASK).filter((each) => each.endsWith('.log'));
    return name === undefined ? '' : this.read(`${TASK}/${name}`);
  }

  begin(argv: readonly string[], options: StartOptions = {}): Started {
    return this.start(argv, {
      binary: CLAUDE_ITERATE,
      ...options,
      env: { PATH: this.path, TMPDIR: path.join(this.elsewhere, 'tmp'), ...options.env },
    });
  }

  iterate(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.begin(argv, options).ended;
  }

  get path(): string {
    return `${path.join(this.elsewhere, 'bin')}:/usr/local/bin:/usr/bin:/bin`;
  }
}
