/** A workspace with a session in it, and its documents at hand. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Ended, type StartOptions, Workspace } from '../rig/orchestrate.ts';

export type Json = { [key: string]: unknown };

export class SessionWorkspace extends Workspace {
  readonly id = 'WFS-work';

  /** Starts the session `WFS-work` with these tasks in it. */
  async begin(tasks: readonly Json[] = []): Promise<void> {
    await this.ok(['session', 'start', 'Work']);
    for (const task of tasks) this.putTask(task);
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

  /** A program on the PATH of what the workspace runs; answers the environment that has it. */
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

/** A task that needs no agent: its implementation is commands. */
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
