import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { refusingToBeRead } from '../rig/refusing.ts';
import { ask, READ_FILE, Talk, text, WRITE_FILE } from './rig.ts';

const WAIT = { name: 'wait', command: ['bash', '-c', 'touch begun; until [ -e go ]; do sleep 0.02; done'] };

describe('conversations of one workspace', () => {
  it('have separate folders: the first in the workspace itself, all others below sessions/', async () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    expect(await talk.converse(['run', 'talk', '--session', 'first'])).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['run', 'talk', '--session', 'second'])).toMatchObject({ exitCode: 0 });
    const third = await talk.converse(['run', 'talk']);
    expect(third.stderr).toContain('note: conversation `first` already uses `talk` itself');
    expect(talk.session()).toMatchObject({ session_id: 'first' });
    expect(talk.session('talk/sessions/second')).toMatchObject({ session_id: 'second', status: 'completed' });
    expect(fs.readdirSync(path.join(talk.folder, 'talk/sessions'))).toHaveLength(2);
    const listed = JSON.parse((await talk.converse(['list', 'talk', '--json'])).stdout);
    expect(listed).toMatchObject([
      { session_id: 'first', folder: '.', status: 'completed', current_iteration: 1 },
      { session_id: 'second', folder: 'sessions/second' },
      { folder: expect.stringMatching(/^sessions\/sess_/) },
    ]);
    expect((await talk.converse(['list', 'talk'])).stdout).toMatch(
      /^SESSION +STATUS +ITERATIONS +CREATED +TASK\nfirst +completed +1 /,
    );
  });

  it('run in parallel, twenty at once, without mixing anything up', { timeout: 180_000 }, async () => {
    const talk = new Talk({
      says: [],
      tools: [READ_FILE, WRITE_FILE, { name: 'wait', command: ['sleep', '0.05'], parallel_safe: true }],
      workflow: { task: 'unused', agent: { name: 'echo', command: ['node', 'agent.cjs'] } },
      files: { 'talk/agent.cjs': ECHOING_AGENT },
    });
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    const ended = await Promise.all(
      names.map((name) =>
        talk.converse(['run', 'talk', '--session', name, '--task', `task of ${name}.`, '-q']),
      ),
    );
    expect(ended.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const [first, ...others] = JSON.parse((await talk.converse(['list', 'talk', '--json'])).stdout);
    expect([first, ...others].map(({ session_id }) => session_id).sort()).toEqual(names.toSorted());
    for (const { session_id: name, folder } of [first, ...others]) {
      const base = path.join('talk', folder);
      expect(talk.session(base)).toMatchObject({
        session_id: name,
        status: 'completed',
        current_iteration: 3,
      });
      expect(talk.turns(base)).toEqual([1, 2, 3].flatMap((n) => [`${n} user`, `${n} assistant`]));
      for (const message of talk.history(base)) expect(message.session_id).toBe(name);
      expect(JSON.stringify(talk.history(base)).match(/task of s\d+\./g)).toEqual(
        expect.arrayContaining([`task of ${name}.`]),
      );
      expect(new Set(JSON.stringify(talk.history(base)).match(/task of s\d+\./g))).toEqual(
        new Set([`task of ${name}.`]),
      );
      expect(talk.read(`talk/out-task of ${name}..txt`)).toBe(`task of ${name}.`);
      expect(talk.list(`${base}/prompts`)).toHaveLength(3);
    }
    expect(talk.runs()).toHaveLength(20);
  });

  it('are run by one process each: a second is refused while the first runs', async () => {
    const talk = new Talk({ says: [[ask('t1', 'wait', {})], [text('Done.')]], tools: [WAIT] });
    const running = talk.startConverse(['run', 'talk', '--session', 'mine']);
    await until(() => talk.has('talk/begun'));
    const refusal = {
      exitCode: 4,
      stderr: expect.stringContaining(`conversation \`mine\` is being run by process ${running.pid}`),
    };
    expect(await talk.converse(['run', 'talk', '--session', 'mine'])).toMatchObject(refusal);
    expect(await talk.converse(['resume', 'talk'])).toMatchObject(refusal);
    expect(await talk.converse(['archive', 'talk', '--session', 'mine'])).toMatchObject(refusal);
    expect(await talk.run(['resume', 'last'])).toMatchObject({ exitCode: 4 });
    expect((await talk.converse(['list', 'talk'])).stdout).toContain('running');
    talk.write({ 'talk/go': '' });
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    expect(talk.list('talk/state').filter((name) => name.endsWith('.lock'))).toEqual([]);
    expect(await talk.converse(['run', 'talk', '--session', 'mine'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('conversation `mine` already exists'),
    });
  });

  it('of a machine that may still be running them are refused, whatever their age', async () => {
    const talk = new Talk({ says: [[ask('t1', 'wait', {})]], tools: [WAIT] });
    const running = talk.startConverse(['run', 'talk', '--session', 'mine']);
    await until(() => talk.has('talk/begun'));
    running.child.kill('SIGINT');
    await running.ended;
    const lock = {
      pid: 1,
      startTime: '1',
      host: 'another-machine',
      bootId: 'x',
      nonce: 'a'.repeat(32),
      acquiredAt: '2020-01-01T00:00:00.000Z',
    };
    talk.write({ 'talk/state/mine.lock': JSON.stringify(lock) });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('is being run by process 1 on another-machine, last seen at'),
    });
  });

  it('that are interrupted say so and resume at the same iteration', async () => {
    const talk = new Talk({ says: [[ask('t1', 'wait', {})], [text('Done.')]], tools: [WAIT] });
    const running = talk.startConverse(['run', 'talk']);
    await until(() => talk.has('talk/begun'));
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ exitCode: 143 });
    expect(talk.session()).toMatchObject({ status: 'interrupted', current_iteration: 0 });
    talk.write({ 'talk/go': '' });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.turns()).toEqual(['1 user', '1 assistant', '2 user', '2 assistant']);
  });

  it('that are killed are shown as interrupted, and their lock keeps no one out', async () => {
    const talk = new Talk({ says: [[ask('t1', 'wait', {})], [text('Done.')]], tools: [WAIT] });
    const running = talk.startConverse(['run', 'talk']);
    await until(() => talk.has('talk/begun'));
    running.child.kill('SIGKILL');
    await running.ended;
    expect(talk.session()).toMatchObject({ status: 'running' });
    expect((await talk.converse(['list', 'talk'])).stdout).toContain('interrupted');
    talk.write({ 'talk/go': '' });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.list('talk/state').filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  it('can be resumed from another folder', async () => {
    const talk = new Talk({ says: [[ask('t1', 'wait', {})], [text('Done.')]], tools: [WAIT] });
    const running = talk.startConverse(['run', 'talk']);
    await until(() => talk.has('talk/begun'));
    running.child.kill('SIGINT');
    await running.ended;
    talk.write({ 'talk/go': '' });
    const elsewhere = new Workspace();
    const env = { HOME: talk.folder };
    expect(
      await elsewhere.run(['converse', 'resume', path.join(talk.folder, 'talk')], { env }),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(elsewhere.runs()).toEqual([]);
    expect(talk.session()).toMatchObject({ status: 'completed' });
  });

  it('can be moved with all their files and resumed there', async () => {
    const talk = new Talk({
      says: [[ask('t1', 'wait', {})], [text('Done.')]],
      tools: [WAIT],
      workflow: { root: 'in' },
      files: { 'talk/in/x': '' },
    });
    const running = talk.startConverse(['run', 'talk']);
    await until(() => talk.has('talk/in/begun'));
    running.child.kill('SIGINT');
    await running.ended;
    const moved = new Workspace();
    for (const name of ['talk', '.orchestrate'])
      fs.renameSync(path.join(talk.folder, name), path.join(moved.folder, name));
    moved.write({ 'talk/in/go': '' });
    const env = { HOME: talk.folder };
    expect(await moved.run(['converse', 'resume', 'talk'], { env })).toMatchObject({
      exitCode: 0,
      stdout: 'Done.\n',
    });
    expect(talk.has('talk')).toBe(false);
  });

  it('must be named if there are several', async () => {
    const talk = new Talk({
      says: [[ask('t1', 'read_file', { path: 'x' })]],
      workflow: { max_iterations: 1 },
    });
    for (const name of ['one', 'two']) await talk.converse(['run', 'talk', '--session', name, '-q']);
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('choose one: `--session one`, `--session two`'),
    });
    expect(await talk.converse(['resume', 'talk', '--session', 'too'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('did you mean `two`?'),
    });
    expect(await talk.converse(['run', 'talk', '--session', '../x'])).toMatchObject({ exitCode: 2 });
    expect(await talk.converse(['run', 'talk', '--session', 'tool_results'])).toMatchObject({ exitCode: 2 });
  });
});

/** Writes a file named after its task, reads it back, and reports that. */
const ECHOING_AGENT = `
let prompt = '';
process.stdin.on('data', (chunk) => (prompt += chunk)).on('end', () => {
  const task = /helping with: (.*)/.exec(prompt)[1];
  const iteration = Number(/Current iteration: (\\d+)/.exec(prompt)[1]);
  const file = 'out-' + task + '.txt';
  const blocks = [
    [{ type: 'tool_use', id: 'w', name: 'write_file', input: { path: file, content: task } }],
    [
      { type: 'tool_use', id: 'r', name: 'read_file', input: { path: file } },
      { type: 'tool_use', id: 's', name: 'wait', input: {} },
    ],
    [{ type: 'text', text: 'done with ' + task }],
  ];
  console.log(JSON.stringify({ content: blocks[iteration - 1] }));
});
`;

describe('history', () => {
  it('is printed as Markdown or JSONL, without a line truncated by a crash', async () => {
    const talk = new Talk({
      says: [
        [
          text('Look.'),
          ask('t1', 'read_file', { path: 'a.txt' }),
          { type: 'tool_use', name: 'read_file', input: {} },
          { type: 'tool_use', input: {} },
        ],
        [text('Done.')],
      ],
    });
    await talk.converse(['run', 'talk', '-q']);
    fs.appendFileSync(path.join(talk.folder, 'talk/state/message_history.jsonl'), '{"iteration": 3, "ro');
    const jsonl = await talk.converse(['history', 'talk', '--format', 'jsonl']);
    expect(
      jsonl.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).role),
    ).toEqual([...['user', 'assistant', 'user', 'assistant']]);
    const markdown = (await talk.converse(['history', 'talk'])).stdout;
    expect(markdown).toMatch(/^# Conversation sess_\w+\n\n## Iteration 1, user \(.*\)\n\nDo it\n/);
    expect(markdown).toContain(
      'Look.\n\nRequests `read_file` (t1):\n\n```json\n{\n  "path": "a.txt"\n}\n```\n',
    );
    expect(markdown).toContain('\n\nRequests `read_file`:\n\n```json\n{}\n```\n\nRequests a tool:\n\n');
  });
});

describe('archives', () => {
  async function two(): Promise<Talk> {
    const talk = new Talk({
      says: [[ask('t1', 'read_file', { path: 'own.txt' })], [text('Done.')]],
      files: { 'talk/own.txt': 'x'.repeat(70_000), 'talk/prompts/mine.md': 'mine' },
    });
    for (const name of ['one', 'two']) await talk.converse(['run', 'talk', '--session', name, '-q']);
    return talk;
  }

  function contents(talk: Talk): { readonly [path: string]: string } {
    const files = talk
      .list('talk')
      .filter((name) => fs.statSync(path.join(talk.folder, 'talk', name)).isFile());
    return Object.fromEntries(
      files.filter((name) => !name.startsWith('archive/')).map((name) => [name, talk.read(`talk/${name}`)]),
    );
  }

  it('contain a complete conversation, which is restored to its original place', async () => {
    const talk = await two();
    const before = contents(talk);
    const archived = await talk.converse(['archive', 'talk']);
    expect(archived).toMatchObject({
      exitCode: 0,
      stdout: 'talk/archive/one.tar.gz\ntalk/archive/two.tar.gz\n',
    });
    expect(Object.keys(contents(talk)).sort()).toEqual([
      'config/tools.yaml',
      'config/workflow.yaml',
      'own.txt',
      'prompts/mine.md',
    ]);
    expect((await talk.converse(['list', 'talk', '--json'])).stdout).toBe('[]\n');
    for (const name of ['one', 'two']) {
      const restored = await talk.converse(['restore', `talk/archive/${name}.tar.gz`]);
      expect(restored).toMatchObject({ exitCode: 0, stdout: `${name}\n` });
    }
    expect(contents(talk)).toEqual(before);
  });

  it('are restored below sessions/ if another conversation has taken the place', async () => {
    const talk = await two();
    await talk.converse(['archive', 'talk', '--session', 'one']);
    await talk.converse(['run', 'talk', '--session', 'three', '-q']);
    expect(talk.has('talk/state/three.json')).toBe(true);
    expect(await talk.converse(['restore', 'talk/archive/one.tar.gz'])).toMatchObject({ exitCode: 0 });
    expect(talk.session('talk/sessions/one')).toMatchObject({ session_id: 'one' });
  });

  it('never overwrite an existing conversation or archive', async () => {
    const talk = await two();
    await talk.converse(['archive', 'talk', '--session', 'one', '--keep']);
    const before = contents(talk);
    const refused = await talk.converse(['restore', 'talk/archive/one.tar.gz']);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('conversation `one` already exists'),
    });
    expect(contents(talk)).toEqual(before);
    fs.appendFileSync(path.join(talk.folder, 'talk/prompts/iteration_001.txt'), 'changed since\n');
    expect((await talk.converse(['archive', 'talk', '--session', 'one'])).stdout).toBe(
      'talk/archive/one.2.tar.gz\n',
    );
  });

  it('are not created twice when the removal of the conversation was interrupted', async () => {
    const talk = await two();
    await talk.converse(['archive', 'talk', '--session', 'one', '--keep']);
    const archive = fs.readFileSync(path.join(talk.folder, 'talk/archive/one.tar.gz'));
    talk.remove('talk/prompts/iteration_001.txt');
    expect((await talk.converse(['archive', 'talk', '--session', 'one'])).stdout).toBe(
      'talk/archive/one.tar.gz\n',
    );
    expect(fs.readFileSync(path.join(talk.folder, 'talk/archive/one.tar.gz')).equals(archive)).toBe(true);
    expect(talk.list('talk/archive')).toEqual(['one.tar.gz']);
    expect(talk.has('talk/state/one.json')).toBe(false);
  });

  it('are created before the conversation is removed, whose document is durably removed last', async () => {
    const talk = await two();
    const trace = path.join(talk.folder, 'trace');
    const env = {
      NODE_OPTIONS: `--require=${path.resolve('proof/rig/record-disk.cjs')}`,
      RECORD_DISK: JSON.stringify({ folder: path.join(talk.folder, 'talk'), trace }),
    };
    await talk.converse(['archive', 'talk', '--session', 'one'], { env });
    const done = fs.readFileSync(trace, 'utf8').split('\n').slice(0, -1);
    const steps = done
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly path: string })
      .map(({ kind, path: place }) => `${kind} ${place}`);
    const gone = steps.lastIndexOf('unlink state/one.json');
    expect(steps.findIndex((step) => /^(?:unlink|rmdir) prompts/.test(step))).toBeGreaterThan(0);
    const last = steps.findLastIndex((step) => /^(?:unlink|rmdir) (?:prompts|responses)/.test(step));
    expect(steps.slice(last, gone)).toContain('sync .');
  });

  it.each([
    ['archive', ['archive', 'talk']],
    ['clean', ['clean', 'talk', '--force']],
  ])('%s reports a conversation whose document cannot be read', async (_command, argv) => {
    const talk = new Talk({ says: [[text('Done.')]] });
    await talk.converse(['run', 'talk', '--session', 'one', '-q']);
    const unread = await talk.converse(argv, {
      env: refusingToBeRead(talk.folder, { kind: 'read', file: 'state/one.json', number: 1 }),
    });
    expect(unread).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: cannot read `.*one\.json`: .*\(EIO\)\n$/),
    });
    expect(talk.has('talk/state/one.json')).toBe(true);
  });

  it('of another kind, or damaged, are refused and leave nothing behind', async () => {
    const talk = await two();
    await talk.converse(['archive', 'talk', '--session', 'two']);
    const whole = fs.readFileSync(path.join(talk.folder, 'talk/archive/two.tar.gz'));
    const before = contents(talk);
    talk.write({ 'talk/archive/text.tar.gz': 'no archive' });
    fs.writeFileSync(path.join(talk.folder, 'talk/archive/cut.tar.gz'), whole.subarray(0, whole.length / 2));
    for (const name of ['text', 'cut']) {
      expect(await talk.converse(['restore', `talk/archive/${name}.tar.gz`])).toMatchObject({ exitCode: 1 });
    }
    expect(await talk.converse(['restore', 'talk/archive/none.tar.gz'])).toMatchObject({ exitCode: 2 });
    expect(contents(talk)).toEqual(before);
  });

  it('are made only of ended conversations, by age', async () => {
    const talk = new Talk({
      says: [[ask('t1', 'ask', {})]],
      tools: [{ name: 'ask', command: ['true'], approve: 'always' }],
    });
    expect(await talk.converse(['run', 'talk', '-q'])).toMatchObject({ exitCode: 3 });
    expect(await talk.converse(['archive', 'talk'])).toMatchObject({
      exitCode: 0,
      stderr: 'nothing to archive\n',
    });
    const ended = await two();
    expect(await ended.converse(['archive', 'talk', '--older-than', '30d'])).toMatchObject({ stdout: '' });
    expect(await ended.converse(['archive', 'talk', '--older-than', 'long'])).toMatchObject({ exitCode: 2 });
  });
});

describe('clean', () => {
  it('removes only ended conversations, after confirmation', async () => {
    const talk = new Talk({ says: [[text('Done.')]], files: { 'talk/prompts/mine.md': 'mine' } });
    for (const name of ['one', 'two']) await talk.converse(['run', 'talk', '--session', name, '-q']);
    expect(await talk.converse(['clean', 'talk', '--dry-run'])).toMatchObject({
      exitCode: 0,
      stdout: 'one  completed\ntwo  completed\n',
    });
    expect(await talk.converse(['clean', 'talk'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not a terminal'),
    });
    expect(talk.session()).toMatchObject({ session_id: 'one' });
    expect(await talk.converse(['clean', 'talk', '--force'])).toMatchObject({ exitCode: 0 });
    expect(talk.list('talk')).toEqual([
      'config',
      'config/tools.yaml',
      'config/workflow.yaml',
      'prompts',
      'prompts/mine.md',
      'state',
    ]);
  });
});
