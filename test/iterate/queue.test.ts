/** `queue`: several loops, one after the other or side by side, whatever happens to their processes. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLeftQueue } from '../../src/operations/loops/queue/queue-work.ts';
import { temporarySite } from '../operations/site.ts';
import { killAt } from '../rig/kill-at.ts';
import { until } from '../rig/orchestrate.ts';
import { Project } from './rig.ts';

const WORKSPACES = 'claude-iterate/workspaces';
const QUEUE = `${WORKSPACES}/.queue.json`;

/**
 * Loops whose agent is a shell script of their own. `$STATUS` is its status file, `$HERE` a folder outside the project; each call
 * adds the name of its loop to `calls`.
 */
async function withLoops(scripts: { readonly [name: string]: string }): Promise<Project> {
  const project = new Project();
  for (const [name, script] of Object.entries(scripts)) {
    const created = await project.iterate(['init', name]);
    expect(created.exitCode).toBe(0);
    const status = path.join(project.folder, WORKSPACES, name, '.status.json');
    const text = `HERE=${project.elsewhere}\nSTATUS=${status}\ncat > $HERE/prompt-${name}\necho ${name} >> $HERE/calls\n${script}\n`;
    fs.writeFileSync(path.join(project.elsewhere, `${name}.sh`), text);
    project.write({ [`${WORKSPACES}/${name}/INSTRUCTIONS.md`]: `Do ${name}.\n` });
  }
  return project;
}

async function queued(
  project: Project,
  names: readonly string[],
  flags: readonly string[] = [],
): Promise<void> {
  for (const name of names) {
    const agent = `sh ${path.join(project.elsewhere, `${name}.sh`)}`;
    const added = await project.iterate([
      'queue',
      'add',
      name,
      '--agent',
      agent,
      '--no-verify',
      '--no-delay',
      ...flags,
    ]);
    expect(added.stderr).toBe('');
    expect(added.exitCode).toBe(0);
  }
}

const DONE = `printf '{"complete":true}' > $STATUS`;
const exists = (project: Project, name: string): boolean => fs.existsSync(path.join(project.elsewhere, name));
const called = (project: Project): readonly string[] =>
  exists(project, 'calls')
    ? fs.readFileSync(path.join(project.elsewhere, 'calls'), 'utf8').trim().split('\n')
    : [];

describe('the queue', () => {
  it('runs its loops one after the other, continues after a failed one, and reports on the night', async () => {
    const project = await withLoops({
      a: DONE,
      b: `printf '{"complete":false,"abort":{"reason":"no"}}' > $STATUS`,
      c: DONE,
    });
    await queued(project, ['a', 'b', 'c']);
    const before = await project.iterate(['queue', 'list']);
    expect(before.stdout).toMatch(/^ *1 {2}a {5}queued$/m);
    const ended = await project.iterate(['queue', 'run']);
    expect(called(project)).toEqual(['a', 'b', 'c']);
    expect(ended.stdout).toContain('▶ a: started\n');
    expect(ended.stdout).toContain('[a] ✓ Task completed successfully after 1 iteration\n');
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.stdout).toContain('■ b: error (abort)\n');
    expect(ended.stderr).toContain('[b] ❌ Stopped after 1 iteration: ');
    expect(ended.exitCode).toBe(1);
    const after = await project.iterate(['queue', 'list', '--json']);
    expect(JSON.parse(after.stdout)).toMatchObject([
      { name: 'a', state: { type: 'ended', status: 'completed' }, endedAt: expect.any(String) },
      { name: 'b', state: { type: 'ended', status: 'error' } },
      { name: 'c', state: { type: 'ended', status: 'completed' } },
    ]);
    const file = /^Report: (\S+)\.md and \.html$/m.exec(ended.stdout)?.[1] ?? '';
    expect(project.read(`${file}.md`)).toMatch(/^# 3 loops, .*\n[\s\S]*\| Total \| {2}\| 3 \| /);
    expect(project.read(`${file}.html`)).toContain('<title>3 loops, ');

    // The next night starts with an empty queue.
    await queued(project, ['c']);
    const next = await project.iterate(['queue', 'list']);
    expect(next.stdout).toMatch(/^ *1 {2}c {5}queued$/m);
    expect(next.stdout).not.toMatch(/ a /);
  });

  it('runs several at once', async () => {
    const meets = (other: string): string =>
      `touch $HERE/met-$0; while [ ! -e $HERE/here-${other} ]; do sleep 0.01; done; ${DONE}`;
    const project = await withLoops({
      a: `touch $HERE/here-a; ${meets('b')}`,
      b: `touch $HERE/here-b; ${meets('a')}`,
    });
    await queued(project, ['a', 'b']);
    const ended = await project.iterate(['queue', 'run', '--max-parallel', '2']);
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.stdout).toContain('■ b: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
  });

  const ASKS = `if grep -q 'Answer: blue' $HERE/prompt-a; then ${DONE}; else printf '{"complete":false,"blockers":[{"question":"Which colour?"}]}' > $STATUS; fi`;

  it('runs the others while one waits for an answer, and resumes it when the answer is there', async () => {
    const waits = `while [ ! -e $HERE/go ]; do sleep 0.01; done; ${DONE}`;
    const project = await withLoops({ a: ASKS, b: waits });
    await queued(project, ['a', 'b']);
    const started = project.begin(['queue', 'run']);
    await until(() => called(project).includes('b'));
    expect((await project.iterate(['queue', 'list'])).stdout).toMatch(
      /a {5}waiting for an answer: Which colour\?/,
    );
    const [run = ''] = project.runs();
    const approved = await project.run(['approve', run, 'question-1', '--choose', 'blue']);
    expect(approved.exitCode).toBe(0);
    fs.writeFileSync(path.join(project.elsewhere, 'go'), '');
    const ended = await started.ended;
    expect(ended.stdout).toContain('▶ a: resumed\n');
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
    expect(called(project)).toEqual(['a', 'b', 'a']);
  });

  it('ends when only unanswered loops are left, and says so', async () => {
    const project = await withLoops({ a: ASKS });
    await queued(project, ['a']);
    const waiting = await project.run(['iterate', 'queue', 'run'], { env: { PATH: project.path } });
    expect(waiting.exitCode).toBe(3);
    expect(waiting.stdout).toContain('■ a: waiting for an answer: Which colour?\n');
    const says =
      'Some loops wait for you:\n  a: waiting for an answer: Which colour?\n' +
      'Answer or resume them (claude-iterate show <name> says how), then run the queue again: claude-iterate queue run\n';
    expect(waiting.stderr.endsWith(says)).toBe(true);
    const report = project.read(/^Report: (\S+\.md) /m.exec(waiting.stdout)?.[1] ?? '');
    expect(report).toContain('- Which colour? (not answered yet: claude-iterate show a)\n');
    expect(report).toMatch(/\n\| Last record \| .* UTC \|\n/);
    // Also if another loop has failed.
    const [run = ''] = project.runs();
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'no' }] });
    await project.iterate(['init', 'b']);
    project.write({ [`${WORKSPACES}/b/INSTRUCTIONS.md`]: 'Fail.\n' });
    expect((await project.iterate(['queue', 'add', 'b', '--no-verify'])).exitCode).toBe(0);
    const failed = await project.iterate(['queue', 'run']);
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(says) });
    expect((await project.iterate(['queue', 'remove', 'b'])).exitCode).toBe(0);
    await project.run(['approve', run, 'question-1', '--choose', 'blue']);
    const ended = await project.iterate(['queue', 'run']);
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
  });

  const HANGS_ONCE = `n=$(grep -c a $HERE/calls); if [ $n = 2 ]; then touch $HERE/hangs; exec sleep 600; fi
printf '{"complete":%s,"progress":{"completed":%s,"total":3}}' $([ $n -ge 4 ] && echo true || echo false) $n > $STATUS`;

  it('resumes a loop whose process was killed', async () => {
    const project = await withLoops({ a: HANGS_ONCE });
    await queued(project, ['a']);
    const started = project.begin(['queue', 'run']);
    await until(() => exists(project, 'hangs'));
    const { pid } = JSON.parse(project.read(`${WORKSPACES}/a/.lock`)) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    const ended = await started.ended;
    expect(ended.stdout).toContain('■ a: interrupted\n▶ a: resumed\n');
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
    expect(project.metadata('a')).toMatchObject({ executionIterations: 3 });
  });

  it('is taken up after all processes were killed, with the options of its loops', async () => {
    const project = await withLoops({ a: HANGS_ONCE, b: DONE });
    await queued(project, ['a', 'b']);
    const started = project.begin(['queue', 'run']);
    await until(() => exists(project, 'hangs'));
    const { pid } = JSON.parse(project.read(`${WORKSPACES}/a/.lock`)) as { readonly pid: number };
    started.child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await started.ended;
    const ended = await project.iterate(['queue', 'run']);
    expect(ended.stdout).toContain('▶ a: resumed\n');
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.stdout).toContain('■ b: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
    expect(called(project)).toEqual(['a', 'a', 'a', 'a', 'b']);
  });

  it('is continued by the keeper after all processes were killed, up to the report', async () => {
    const project = await withLoops({ a: HANGS_ONCE, b: DONE, c: DONE });
    await queued(project, ['a', 'b', 'c']);
    const started = project.begin(['queue', 'run']);
    await until(() => exists(project, 'hangs'));
    const { pid } = JSON.parse(project.read(`${WORKSPACES}/a/.lock`)) as { readonly pid: number };
    started.child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await started.ended;
    const reports = (): readonly string[] =>
      project.has('claude-iterate/reports')
        ? project.list('claude-iterate/reports').filter((name) => name.endsWith('.json'))
        : [];
    const keeper = project.start(['keep'], { env: { PATH: project.path } });
    await until(() => reports().length === 1);
    await until(() => JSON.parse(project.read(QUEUE)).work === undefined);
    keeper.child.kill('SIGINT');
    const kept = await keeper.ended;
    expect(kept.stderr).toContain(' continued the queue of loops: its process died\n');
    expect(kept.stderr).not.toContain('resumed run');
    const { loops } = JSON.parse(project.read(`claude-iterate/reports/${reports()[0]}`));
    expect(loops.map(({ name, status }: { name: string; status: string }) => [name, status]).sort()).toEqual([
      ['a', 'completed'],
      ['b', 'completed'],
      ['c', 'completed'],
    ]);
    expect(called(project).toSorted()).toEqual(['a', 'a', 'a', 'a', 'b', 'c']);
    const log = project.read('.orchestrate/keeper/loops.log');
    expect(log).toContain('▶ a: resumed\n');
    expect(log).toContain('■ c: completed (complete)\n');
  });

  it('in a folder named with `--workspaces-dir` is continued by the keeper too', async () => {
    const project = new Project();
    const named = ['--workspaces-dir', 'nights'];
    for (const [name, script] of [
      ['a', HANGS_ONCE],
      ['b', DONE],
    ] as const) {
      await project.iterate(['init', name, ...named]);
      project.write({ [`nights/${name}/INSTRUCTIONS.md`]: `Do ${name}.\n` });
      const status = path.join(project.folder, 'nights', name, '.status.json');
      const file = path.join(project.elsewhere, `${name}.sh`);
      fs.writeFileSync(
        file,
        `HERE=${project.elsewhere}\nSTATUS=${status}\ncat > /dev/null\necho ${name} >> $HERE/calls\n${script}\n`,
      );
      const flags = ['--agent', `sh ${file}`, '--no-verify', '--no-delay'];
      expect((await project.iterate(['queue', 'add', name, ...flags, ...named])).exitCode).toBe(0);
    }
    const started = project.begin(['queue', 'run', ...named]);
    await until(() => exists(project, 'hangs'));
    const { pid } = JSON.parse(project.read('nights/a/.lock')) as { readonly pid: number };
    started.child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await started.ended;
    const keeper = project.start(['keep'], { env: { PATH: project.path } });
    await until(() => JSON.parse(project.read('nights/.queue.json')).work === undefined);
    keeper.child.kill('SIGINT');
    const kept = await keeper.ended;
    expect(kept.stderr).toContain(' continued the queue of loops: its process died\n');
    expect(project.read('.orchestrate/keeper/loops.log')).toContain('■ b: completed (complete)\n');
    expect(called(project).includes('b')).toBe(true);
  });

  it('has not ended before its report is written', async () => {
    const project = await withLoops({ a: DONE });
    await queued(project, ['a']);
    const killed = await project.iterate(['queue', 'run'], {
      env: killAt({ when: 'before', kind: 'mkdir', file: 'claude-iterate/reports', number: 1 }),
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(killed.stdout).toContain('■ a: completed (complete)\n');
    expect(JSON.parse(project.read(QUEUE)).work).toMatchObject({ maxParallel: 1 });
    const ended = await project.iterate(['queue', 'run']);
    expect(ended.stdout).toMatch(/^Report: claude-iterate\/reports\/night-\S+\.md and \.html\n$/);
    expect(JSON.parse(project.read(QUEUE)).work).toBeUndefined();
  });

  it('is continued by no one if a person stopped it, or if it came with a folder', async () => {
    const project = await withLoops({ a: HANGS_ONCE });
    await queued(project, ['a']);
    const site = { ...temporarySite(), workspace: project.folder, environment: { HOME: project.folder } };
    const left = (bootedAt = new Date(0)): object | undefined => findLeftQueue(site, { bootedAt });
    const started = project.begin(['queue', 'run']);
    await until(() => exists(project, 'hangs'));
    expect(left()).toBeUndefined();
    const { pid } = JSON.parse(project.read(`${WORKSPACES}/a/.lock`)) as { readonly pid: number };
    started.child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await started.ended;
    expect(left()).toMatchObject({ maxParallel: 1, why: 'its process died' });
    const queue = JSON.parse(project.read(QUEUE));
    project.write({ [QUEUE]: JSON.stringify({ ...queue, work: { ...queue.work, maxParallel: 9 } }) });
    expect(left()).toBeUndefined();
    const stopped = { signal: 'SIGINT', at: new Date().toISOString() };
    project.write({ [QUEUE]: JSON.stringify({ ...queue, work: { ...queue.work, stopped } }) });
    const soon = new Date(Date.now() + 60_000);
    expect(left(soon)).toBeUndefined();
    const shutDown = { ...stopped, signal: 'SIGTERM' };
    project.write({ [QUEUE]: JSON.stringify({ ...queue, work: { ...queue.work, stopped: shutDown } }) });
    expect(left(soon)).toMatchObject({ why: 'the machine was shut down' });
  });

  it('stops its loops at a signal, and resumes them the next time', async () => {
    const project = await withLoops({ a: HANGS_ONCE });
    await queued(project, ['a']);
    const started = project.begin(['queue', 'run']);
    await until(() => exists(project, 'hangs'));
    started.child.kill('SIGTERM');
    const stopped = await started.ended;
    expect(stopped.exitCode).toBe(143);
    expect(stopped.stdout).toContain('■ a: interrupted\n');
    expect(JSON.parse(project.read(QUEUE)).work.stopped).toMatchObject({ signal: 'SIGTERM' });
    const ended = await project.iterate(['queue', 'run']);
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.exitCode).toBe(0);
  });

  it('forgets loops that ended a week ago, and no others', async () => {
    const project = await withLoops({
      old: 'true',
      recent: 'true',
      open: 'true',
      next: 'true',
      last: 'true',
    });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const loop = (name: string, endedAt?: string) => ({
      ...{ name, options: {}, addedAt: daysAgo(30) },
      ...(endedAt === undefined ? {} : { startedAt: endedAt, endedAt }),
    });
    const queue = () =>
      JSON.parse(fs.readFileSync(path.join(project.folder, QUEUE), 'utf8')).loops.map(
        ({ name }: { name: string }) => name,
      );
    const loops = [loop('old', daysAgo(7.01)), loop('recent', daysAgo(6.99)), loop('open')];
    project.write({ [QUEUE]: JSON.stringify({ version: 1, loops }) });
    await queued(project, ['next']);
    expect(queue()).toEqual(['recent', 'open', 'next']);
    // Once all of them have ended, they belong to an earlier night.
    const ended = ['recent', 'open', 'next'].map((name) => loop(name, daysAgo(1)));
    project.write({ [QUEUE]: JSON.stringify({ version: 1, loops: ended }) });
    await queued(project, ['last']);
    expect(queue()).toEqual(['last']);
  });

  it('refuses what it cannot do', async () => {
    const project = await withLoops({ a: DONE });
    await queued(project, ['a']);
    const twice = await project.iterate(['queue', 'add', 'a', '--agent', 'true']);
    expect(twice.stderr).toContain('error: `a` is already in the queue\n');
    const unknown = await project.iterate(['queue', 'add', 'b']);
    expect(unknown.stderr).toContain('error: Workspace not found: b\n');
    const missing = await project.iterate(['queue', 'remove', 'b']);
    expect(missing.stderr).toBe('error: `b` is not in the queue\n');
    const removed = await project.iterate(['queue', 'remove', 'a']);
    expect(removed.stdout).toBe('✓ a removed from the queue\n');
    const empty = await project.iterate(['queue', 'list']);
    expect(empty.stderr).toBe('The queue is empty. Add a loop: claude-iterate queue add <name>\n');
    const nothing = await project.iterate(['queue', 'run']);
    expect(nothing).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('of a cloned project runs no program and skips no permission before the user trusts it', async () => {
    const options = [
      { agent: 'sh ./evil.sh' },
      { fallback: ['claude', 'sh ./evil.sh'] },
      { checks: ['sh ./evil.sh'] },
      { skipsPermissions: true },
    ];
    for (const each of options) {
      const project = await withLoops({ a: DONE });
      project.write({
        'evil.sh': 'touch pwned',
        [QUEUE]: JSON.stringify({ version: 1, loops: [{ name: 'a', options: each, addedAt: '' }] }),
      });
      const refused = await project.iterate(['queue', 'run']);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(`  a: ${Object.keys(each)[0]} = `);
      expect(refused.stderr).toContain(`(${QUEUE}; new)`);
      expect(project.has('pwned')).toBe(false);
      expect(project.runs()).toEqual([]);
    }
  });

  it('does not run what an agent adds to it', async () => {
    const added = { name: 'b', options: { agent: 'touch pwned' }, addedAt: '' };
    const script = `node -e 'const fs = require("fs"); const q = JSON.parse(fs.readFileSync("${QUEUE}")); q.loops.push(${JSON.stringify(added)}); fs.writeFileSync("${QUEUE}", JSON.stringify(q))'; ${DONE}`;
    const project = await withLoops({ a: script, b: DONE });
    await queued(project, ['a']);
    const ended = await project.iterate(['queue', 'run']);
    expect(ended.stdout).toContain('■ a: completed (complete)\n');
    expect(ended.exitCode).toBe(1);
    expect(project.has('pwned')).toBe(false);
    const listed = await project.iterate(['queue', 'list']);
    expect(listed.stdout).toContain('cannot be run: its options in the queue are not trusted');
  });

  it('starts a loop with its options if it was killed just before it would have started', async () => {
    const project = await withLoops({ a: DONE });
    await queued(project, ['a']);
    const queue = JSON.parse(project.read(QUEUE));
    queue.loops[0].startedAt = new Date().toISOString();
    project.write({ [QUEUE]: JSON.stringify(queue) });
    expect(await project.iterate(['queue', 'run'])).toMatchObject({ exitCode: 0 });
    expect(called(project)).toEqual(['a']);
  });
});
