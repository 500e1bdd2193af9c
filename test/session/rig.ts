/** A workspace with a session and access to its documents. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Ended, type Started, type StartOptions, Workspace } from '../rig/orchestrate.ts';

export type Json = { [key: string]: unknown };

export class SessionWorkspace extends Workspace {
  readonly id = 'WFS-work';

  /** Starts the session `WFS-work` with these tasks in it. */
  async begin(tasks: readonly Json[] = []): Promise<void> {
    await this.ok(['session', 'start', 'Work']);
    for (const task of tasks) this.putTask(task);
  }

  /** Trusts the tasks as if the user had created them. */
  override start(argv: readonly string[], options?: StartOptions): Started {
    return super.start(argv[0] === 'execute' ? [...argv, '--trust'] : argv, options);
  }

  async ok(argv: readonly string[], options?: StartOptions): Promise<Ended> {
    const ended = await this.run(argv, options);
    expect(ended.exitCode, `${argv.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(0);
    return ended;
  }

  putTask(task: Json, fileName = `${task['id']}.json`): void {
    this.write({ [`.workflow/${this.id}/.task/${fileName}`]: `${JSON.stringify(task, null, 2)}\n` });
  }

  task(id: string): Json {
    return JSON.parse(this.read(`.workflow/${this.id}/.task/${id}.json`)) as Json;
  }

  session(id: string = this.id): Json {
    return JSON.parse(this.read(`.workflow/${id}/workflow-session.json`)) as Json;
  }

  todo(): string {
    return this.read(`.workflow/${this.id}/TODO_LIST.md`);
  }

  markers(): readonly string[] {
    return fs.readdirSync(path.join(this.folder, '.workflow')).filter((name) => name.startsWith('.active-'));
  }

  /**
   * A stand-in for Claude Code: speaks its stream, records every prompt, and runs `behaviour`, the body of a function of
   * `prompt` and `fs` that returns the structured result.
   */
  standInClaude(behaviour = 'return {};'): { readonly PATH: string } {
    return this.standIn(
      'claude',
      `#!${process.execPath}
const fs = require('node:fs');
const prompt = fs.readFileSync(0, 'utf8');
const base = { approach: 'did it', files_modified: [], key_decisions: [], shared_context: {}, integration_points: [], verification: [], notes: '' };
const folder = ${JSON.stringify(path.join(this.folder, '.stand-ins'))};
fs.appendFileSync(folder + '/prompts', JSON.stringify({ prompt, argv: process.argv.slice(2), cwd: process.cwd() }) + '\\n');
const said = (function (prompt, fs) { ${behaviour} })(prompt, fs);
const session_id = '00000000-0000-4000-8000-000000000001';
const say = (line) => fs.writeSync(1, JSON.stringify(line) + '\\n');
say({ type: 'system', subtype: 'init', session_id, model: 'stand-in' });
say({ type: 'result', subtype: 'success', is_error: false, result: 'done', structured_output: said.raw ?? { ...base, ...said }, total_cost_usd: 0.01, num_turns: 1, session_id, usage: { input_tokens: 1, output_tokens: 1 } });
`,
    );
  }

  /** The prompts sent to the stand-in, in order. */
  prompts(): readonly { readonly prompt: string; readonly argv: readonly string[]; readonly cwd: string }[] {
    if (!this.has('.stand-ins/prompts')) return [];
    // What follows the last line end is still being written.
    const lines = this.read('.stand-ins/prompts').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** What the run that planned the session has spent. */
  planningCost(id?: string): number {
    const [{ cost_usd: cost } = {}] = Object.values(
      this.session(id)['planning_runs'] as { [id: string]: Json },
    );
    return Number(cost);
  }

  git(...argv: readonly string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const ran = spawnSync('git', [...identity, ...argv], { cwd: this.folder, encoding: 'utf8' });
    expect(ran.status, ran.stderr).toBe(0);
    return ran.stdout;
  }

  /** Creates a repository and commits everything. */
  initGit(): void {
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Test');
    this.git('config', 'user.email', 'test@example.org');
    this.write({ '.gitignore': '.config\n.home\n.orchestrate\n.stand-ins\n.workflow\n' });
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'begin');
  }

  /** Puts a program on the `PATH`; returns the environment to use. */
  standIn(name: string, script: string): { readonly PATH: string } {
    const folder = path.join(this.folder, '.stand-ins');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 });
    return { PATH: `${folder}:${process.env['PATH']}` };
  }
}

export function task(id: string, more: Json = {}): Json {
  const { context, flow_control, meta, ...rest } = more;
  const parent = /^(IMPL-\d+)\.\d+$/.exec(id)?.[1];
  return {
    id,
    title: `Do ${id}`,
    status: 'pending',
    meta: { type: 'feature', agent: 'code-developer', ...(meta as Json) },
    context: {
      requirements: [],
      focus_paths: [],
      acceptance: [],
      ...(parent === undefined ? {} : { parent }),
      depends_on: [],
      shared_context: {},
      ...(context as Json),
    },
    flow_control: { pre_analysis: [], ...(flow_control as Json) },
    ...rest,
  };
}

/** A task that needs no agent: its implementation is a command. */
export function commandTask(id: string, command: string, more: Json = {}): Json {
  return task(id, {
    ...more,
    flow_control: {
      pre_analysis: [],
      implementation_approach: [{ step: 1, title: 'run it', command }],
      ...(more['flow_control'] as Json),
    },
  });
}
