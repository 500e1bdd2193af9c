/** A whole feature, planned and carried out by the real Claude Code with a scripted model behind it. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JournalEvent } from '../../src/model/event.ts';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { type RequestBody, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { type Json, SessionWorkspace } from './rig.ts';

const IDS = Array.from({ length: 12 }, (_, index) => `IMPL-${index + 1}`);
const DEPENDS: Json = { 'IMPL-11': ['IMPL-5'], 'IMPL-12': ['IMPL-1'] };
/** They write the same file. */
const CONFLICT: readonly string[] = ['IMPL-6', 'IMPL-7'];

/** IMPL-4 asks, IMPL-5 fails, IMPL-11 depends on the failure, and IMPL-12 waits for IMPL-1, so that it can be divided meanwhile. */
const PLAN = IDS.map((id) => ({
  id,
  title: `Part ${id}`,
  meta: { type: 'feature' },
  context: {
    requirements: [`Write ${id}.`],
    focus_paths: [`${id}.txt`],
    acceptance: id === 'IMPL-5' ? ['command: false'] : [],
    depends_on: DEPENDS[id] ?? [],
  },
  flow_control:
    id === 'IMPL-4'
      ? {
          pre_analysis: [
            { step: 'check', action: 'Look', command: 'bash(exit 1)', on_error: 'manual_intervention' },
          ],
        }
      : {},
}));

const structured = (input: Json): Turn => ({ type: 'tool', name: 'StructuredOutput', input });

/** The model: plans twelve tasks; writes the file of each task, says so, and ends. */
class Model {
  /** Tasks whose agent has asked it. */
  readonly asked = new Set<string>();
  /** IMPL-1 gets no answer until then. */
  isReleased = false;
  readonly #log: string;
  readonly #waiting = new Set<() => void>();

  constructor(log: string) {
    this.#log = log;
  }

  release(): void {
    this.isReleased = true;
    this.#changed();
  }

  async answer(body: RequestBody): Promise<Turn> {
    const messages = body['messages'] as readonly unknown[];
    const texts = messages.map((message) => JSON.stringify(message));
    const last = texts.findLastIndex((text) => /Work on the task |Plan the work/.test(text));
    const results = texts.slice(last + 1).filter((text) => text.includes('"tool_result"')).length;
    const [, id = ''] = /Work on the task (IMPL-[\d.]*\d)/.exec(texts[last] ?? '') ?? [];
    if (id === '') return results === 0 ? structured({ tasks: PLAN }) : { type: 'text', text: 'planned' };
    this.asked.add(id);
    this.#changed();
    await this.#when(() => id !== 'IMPL-1' || this.isReleased);
    // Both start from the same files.
    await this.#when(() => !CONFLICT.includes(id) || CONFLICT.every((each) => this.asked.has(each)));
    if (results === 0) {
      const file = CONFLICT.includes(id) ? 'shared.txt' : `${id}.txt`;
      return CLAUDE_325.tools.shell(`echo ${id} > ${file}; echo ${id} >> '${this.#log}'`);
    }
    return results === 1
      ? structured({
          ...{ approach: `Wrote ${id}.`, files_modified: [], key_decisions: [], shared_context: {} },
          ...{ integration_points: [], verification: [], notes: '' },
        })
      : { type: 'text', text: 'done' };
  }

  #changed(): void {
    for (const check of this.#waiting) check();
  }

  #when(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

describe(`Claude Code ${CLAUDE_325.version}`, { timeout: 420_000 }, () => {
  beforeAll(() => installClis(), 15 * 60_000);

  it('plans a feature of twelve tasks and carries it out, with a question, a failure, a conflict, a division, new tasks and two kills', async () => {
    const workspace = new SessionWorkspace({ 'base.txt': 'base\n', 'shared.txt': 'shared\n' });
    workspace.initGit();
    workspace.write({ 'base.txt': 'base\nmine, not committed\n', 'mine.txt': 'my own file\n' });
    const home = path.join(workspace.folder, '.home');
    fs.mkdirSync(home);
    const log = path.join(home, 'worked');
    const model = new Model(log);
    const server = await startModelServer((body) => model.answer(body));
    onTestFinished(() => server.close());
    const [command = ''] = CLAUDE_325.command();
    const { PATH } = workspace.standIn('claude', `#!/bin/sh\nexec '${command}' "$@"\n`);
    const env = { ...cleanEnvironment(home), ...CLAUDE_325.settle({ home, url: server.url }), PATH };

    await workspace.ok(['session', 'start', 'Work']);
    const planned = await workspace.ok(['plan', 'A feature'], { env });
    expect(planned.stdout).toBe(IDS.map((id) => `${id}\n`).join(''));
    const execute = [
      ...['execute', '--review', '--max-parallel', '4', '--on-failure', 'continue'],
      '--dangerously-skip-permissions',
    ];
    const killedWhen = async (condition: () => boolean, meanwhile = async (): Promise<void> => {}) => {
      const running = workspace.start(execute, { env });
      await until(() => condition() || running.child.exitCode !== null);
      expect(running.child.exitCode).toBe(null);
      await meanwhile();
      running.child.kill('SIGKILL');
      await running.ended;
    };
    await killedWhen(
      () => ['IMPL-1', 'IMPL-2', 'IMPL-3'].every((id) => model.asked.has(id)),
      async () => {
        for (const title of ['Added one', 'Added two'])
          await workspace.ok(['task', 'create', '--title', title, '--focus', title.replace(' ', '-')]);
        await workspace.ok(['task', 'decompose', 'IMPL-12', '--into', 'Left', 'Right']);
      },
    );
    await killedWhen(() => CONFLICT.every((id) => model.asked.has(id)));
    model.release();

    let ended = await workspace.run(execute, { env });
    for (let round = 0; ended.exitCode === 3 && round < 12; round += 1) {
      const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
      for (const { run_id, key } of status.questions as readonly { run_id: string; key: string }[]) {
        const isReview = key.endsWith('/review');
        if (isReview)
          expect((await workspace.ok(['task', 'diff', key.slice(0, -7)])).stdout).toContain('+IMPL-');
        await workspace.ok(['approve', run_id, key, '--choose', isReview ? 'accept' : 'continue']);
      }
      ended = await workspace.run(execute, { env });
    }

    // Everything that could be done is done.
    expect(ended.exitCode, ended.stderr).toBe(1);
    const all = [...IDS.slice(0, 11), 'IMPL-12.1', 'IMPL-12.2', 'IMPL-13', 'IMPL-14'];
    const status = (id: string) => workspace.task(id)['status'];
    const [lost = ''] = CONFLICT.filter((id) => status(id) === 'blocked');
    const left = new Map([
      ['IMPL-5', 'blocked'],
      ['IMPL-11', 'pending'],
      [lost, 'blocked'],
    ]);
    expect(Object.fromEntries(all.map((id) => [id, status(id)]))).toEqual(
      Object.fromEntries(all.map((id) => [id, left.get(id) ?? 'completed'])),
    );
    expect(JSON.stringify(workspace.task(lost))).toMatch(/conflict.*shared\.txt/);
    const done = all.filter((id) => !left.has(id));

    // One commit a task, with its file.
    const commits = workspace.git('log', '--format=%s', '--reverse').trimEnd().split('\n');
    expect(commits[0]).toBe('begin');
    const titleOf = (id: string) => `${id}: ${workspace.task(id)['title']}`;
    expect(commits.slice(1).sort()).toEqual(done.map(titleOf).sort());
    for (const id of done)
      expect(workspace.git('show', `HEAD:${CONFLICT.includes(id) ? 'shared.txt' : `${id}.txt`}`)).toBe(
        `${id}\n`,
      );

    // Nothing twice: only calls that a kill interrupted were made again, and IMPL-5, whose work was rejected.
    const journal = workspace.journal() as unknown as readonly JournalEvent[];
    const calls = (type: 'step-started' | 'step-ended', id: string) =>
      journal.filter((event) => event.type === type && event.key === `${id}/implementation/1`);
    const worked = fs.readFileSync(log, 'utf8').trimEnd().split('\n');
    for (const id of done) {
      expect(calls('step-ended', id), id).toHaveLength(1);
      const again = calls('step-started', id).slice(1);
      expect(
        again.every((event) => event.type === 'step-started' && event.again === 'repeated'),
        id,
      ).toBe(true);
      if (again.length === 0)
        expect(
          worked.filter((each) => each === id),
          id,
        ).toHaveLength(1);
    }
    expect(worked).not.toContain('IMPL-11');
    expect(worked).not.toContain('IMPL-12');

    // Its two interrupted calls cost something that is not known.
    expect(workspace.task('IMPL-1')['execution']).toMatchObject({
      cost_usd: expect.any(Number),
      unknown_cost_calls: 2,
    });

    // Nothing of the person is lost, and nothing is left over.
    expect(workspace.read('base.txt')).toBe('base\nmine, not committed\n');
    expect(workspace.read('mine.txt')).toBe('my own file\n');
    expect(workspace.git('status', '--porcelain').trimEnd().split('\n').sort()).toEqual([
      ' M base.txt',
      '?? mine.txt',
    ]);
  });
});
