/** Live events: what a reader gets is what the journal has, over restarts, replacements and slow reading. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, it } from 'vitest';
import { crc32 } from '../../src/model/crc32.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { type RunningPage, servePage } from '../rig/page-server.ts';

const SLOW =
  'name: slow\nsteps:\n  - name: Each\n    for_each:\n      items: [a, b, c, d]\n      as: x\n      steps:\n        - name: Wait\n          command: [bash, -c, "until test -e \\"go-$1\\"; do sleep 0.01; done", x, "${x}"]\n';

interface Message {
  readonly topic: string;
  readonly [field: string]: unknown;
}

interface Reading {
  readonly messages: Message[];
  cursor(): string;
  /** The server has closed the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

function read({ port, token }: RunningPage, topics: string, after = ''): Reading {
  const messages: Message[] = [];
  let text = '';
  let id = after;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const request = http.get(
    {
      port,
      path: `/api/v1/events?topics=${encodeURIComponent(topics)}&after=${after}`,
      agent: false,
      headers: { authorization: `Bearer ${token}` },
    },
    (response) => {
      response.on('error', () => {});
      response.on('close', end);
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          for (const line of text.slice(0, end).split('\n')) {
            if (line.startsWith('data: ')) messages.push(JSON.parse(line.slice(6)));
            if (line.startsWith('id: ')) id = line.slice(4);
          }
          text = text.slice(end + 2);
        }
      });
    },
  );
  request.on('error', end);
  return { messages, ended, cursor: () => id, close: () => request.destroy() };
}

function rowsOf({ messages }: Reading): Map<string, string> {
  const rows = new Map<string, string>();
  for (const { rows: changed = [] } of messages as unknown as { rows?: { key: string; status: string }[] }[])
    for (const { key, status } of changed) rows.set(key, status);
  return rows;
}

it('follows a run of the shell from its first step to its end', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const page = await servePage(workspace);
  const list = read(page, 'runs');
  await until(() => list.messages.length > 0);
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(() => list.messages.some(({ changed }) => Array.isArray(changed) && changed.length > 0));
  const [runId = ''] = workspace.runs();
  const one = read(page, `run:${runId}`);
  await until(() => one.messages.length > 0);
  expect(one.messages[0]).toMatchObject({ topic: `run:${runId}`, reset: true });
  workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '', 'go-d': '' });
  await run.ended;
  await until(() =>
    one.messages.some(({ summary }) => (summary as { status: string } | undefined)?.status === 'completed'),
  );
  await until(() =>
    list.messages.some(({ changed = [] }) =>
      (changed as { status: string }[]).some(({ status }) => status === 'completed'),
    ),
  );
  expect(rowsOf(one).get('Each/3/Wait')).toBe('completed');
  one.close();
  list.close();
});

it('continues after the server was killed, without a gap and without a repeat', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const first = await servePage(workspace);
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ key }) => key === 'Each/0/Wait'),
  );
  const [runId = ''] = workspace.runs();
  const before = read(first, `run:${runId}`);
  await until(() => before.messages.length > 0);
  workspace.write({ 'go-a': '' });
  await until(() => rowsOf(before).get('Each/0/Wait') === 'completed');
  first.started.child.kill('SIGKILL');
  await first.started.ended;
  workspace.write({ 'go-b': '', 'go-c': '' });
  await until(() => workspace.journal().some(({ key }) => key === 'Each/3/Wait'));
  const second = await servePage(workspace);
  const after = read(second, `run:${runId}`, before.cursor());
  await until(() => rowsOf(after).get('Each/3/Wait') === 'running');
  expect(after.messages.some(({ reset }) => reset === true)).toBe(false);
  const together = new Map([...rowsOf(before), ...rowsOf(after)]);
  const { rows } = (await second.get(`runs/${runId}/steps?limit=1000`)).body;
  for (const { key, status } of rows)
    if (String(key).endsWith('Wait')) expect(together.get(key), key).toBe(status);
  expect(rowsOf(after).has('Each/0/Wait')).toBe(false);
  workspace.write({ 'go-d': '' });
  await run.ended;
  after.close();
});

it('says that a killed run is interrupted, also to a page that opens then', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const page = await servePage(workspace);
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
  );
  const [runId = ''] = workspace.runs();
  const one = read(page, `runs,run:${runId}`);
  await until(() => one.messages.length > 1);
  run.child.kill('SIGKILL');
  await until(() => rowsOf(one).get('Each/0/Wait') === 'interrupted');
  await until(() =>
    one.messages.some(({ changed = [] }) =>
      (changed as { status: string }[]).some(({ status }) => status === 'interrupted'),
    ),
  );
  // A page that opened the run just before asks again: nothing was recorded since.
  const late = read(page, `run:${runId}`);
  await until(() => late.messages.length > 0);
  expect(late.messages[0]).toMatchObject({ reset: true, alive: false });
  late.close();
  one.close();
});

it('continues if the journal was only touched: an append shows its time before its bytes', async () => {
  const workspace = new Workspace({ 'slow.yaml': SLOW });
  const page = await servePage(workspace);
  const run = workspace.start(['run', 'slow.yaml', '--quiet']);
  await until(
    () => workspace.runs().length > 0 && workspace.journal().some(({ type }) => type === 'process-started'),
  );
  const [runId = ''] = workspace.runs();
  const one = read(page, `run:${runId}`);
  await until(() => one.messages.length > 0);
  const later = new Date(Date.now() + 60_000);
  fs.utimesSync(path.join(workspace.runFolder(), 'journal.jsonl'), later, later);
  // The answer is that of a server that has looked at the journal since.
  expect((await page.get(`runs/${runId}`)).body).toMatchObject({ generation: 1 });
  workspace.write({ 'go-a': '', 'go-b': '', 'go-c': '', 'go-d': '' });
  await run.ended;
  await until(() => rowsOf(one).get('Each/3/Wait') === 'completed');
  expect(one.messages.filter(({ reset }) => reset === true)).toHaveLength(1);
  one.close();
});

it('starts again when the journal was replaced, and says that a run is gone', async () => {
  const workspace = new Workspace({
    'hello.yaml': 'name: hello\nsteps:\n  - name: Say\n    command: [echo, hello]\n',
  });
  await workspace.run(['run', 'hello.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const page = await servePage(workspace);
  const one = read(page, `run:${runId}`);
  await until(() => one.messages.length === 1);
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  fs.writeFileSync(file, `${lines.slice(0, 3).join('\n')}\n`);
  await until(() => one.messages.length === 2);
  expect(one.messages[1]).toMatchObject({ reset: true, generation: 2 });
  fs.rmSync(workspace.runFolder(), { recursive: true });
  // A folder is removed file by file, so there may be a message between.
  await until(() => 'gone' in (one.messages.at(-1) ?? {}));
  expect(one.messages.at(-1)).toEqual({ topic: `run:${runId}`, gone: true });
  one.close();
});

/** A run of two steps, its journal, and the first lines of it. */
async function ranHello(): Promise<{ workspace: Workspace; topic: string; cut(lines: number): void }> {
  const workspace = new Workspace({
    'hello.yaml':
      'name: hello\nsteps:\n  - { name: Say, command: [echo, hello] }\n  - { name: Again, command: [echo, again] }\n',
  });
  await workspace.run(['run', 'hello.yaml', '--quiet']);
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const cut = (count: number) => fs.writeFileSync(file, `${lines.slice(0, count).join('\n')}\n`);
  return { workspace, topic: `run:${workspace.runs()[0]}`, cut };
}

it('starts again after a restart if the journal was replaced before it: the new server counts from one', async () => {
  const { workspace, topic, cut } = await ranHello();
  const first = await servePage(workspace);
  const before = read(first, topic);
  await until(() => before.messages.length === 1);
  cut(3);
  await until(() => before.messages.some(({ generation }) => generation === 2));
  first.started.child.kill('SIGKILL');
  await first.started.ended;
  const after = read(await servePage(workspace), topic, before.cursor());
  await until(() => after.messages.length > 0);
  expect(after.messages[0]).toMatchObject({ topic, reset: true, generation: 1 });
  after.close();
});

it('starts again after a restart if the journal was replaced while no server ran, and only then', async () => {
  const { workspace, topic, cut } = await ranHello();
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  const whole = fs.readFileSync(file, 'utf8');
  cut(3);
  const asked = async (after: string) => {
    const server = await servePage(workspace);
    const { body } = await server.ask(`/api/v1/events?wait=0&topics=${topic}&after=${after}`);
    server.started.child.kill('SIGKILL');
    await server.started.ended;
    return body as { messages: readonly Message[]; cursor: string };
  };
  const { cursor } = await asked('');
  // More of the same journal: only what was added is announced.
  fs.writeFileSync(file, whole);
  const [grown] = (await asked(cursor)).messages;
  expect(grown).not.toHaveProperty('reset');
  expect(grown).toHaveProperty('summary.status', 'completed');
  // As many records, but other ones: those of another run.
  const other = new Workspace({ 'other.yaml': 'name: other\nsteps:\n  - { name: B, command: [echo, b] }\n' });
  await other.run(['run', 'other.yaml', '--quiet']);
  fs.copyFileSync(path.join(other.runFolder(), 'journal.jsonl'), file);
  expect((await asked(cursor)).messages).toMatchObject([{ topic, reset: true, generation: 1 }]);
});

it('answers once with `wait=0`, and reports that a log grows', async () => {
  const workspace = new Workspace({
    'hello.yaml': 'name: hello\nsteps:\n  - name: Say\n    command: [echo, hello]\n',
  });
  await workspace.run(['run', 'hello.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const page = await servePage(workspace);
  const topics = encodeURIComponent(`runs,run:${runId},log:${runId}:Say:stdout:1,nonsense`);
  const first = (await page.ask(`/api/v1/events?wait=0&topics=${topics}`)).body;
  expect(first.messages).toMatchObject([
    { topic: 'runs', reset: true },
    { topic: `run:${runId}`, reset: true },
    { topic: `log:${runId}:Say:stdout:1`, size: 6 },
  ]);
  const again = (await page.ask(`/api/v1/events?wait=0&topics=${topics}&after=${first.cursor}`)).body;
  expect(again.messages).toEqual([]);
  fs.appendFileSync(path.join(workspace.runFolder(), 'logs', 'Say.stdout'), 'more\n');
  const later = (await page.ask(`/api/v1/events?wait=0&topics=${topics}&after=${again.cursor}`)).body;
  expect(later.messages).toEqual([{ topic: `log:${runId}:Say:stdout:1`, size: 11 }]);
});

it('serves on even if the journal of a run has a failure of an unknown type', async () => {
  const workspace = new Workspace({ 'fails.yaml': 'steps:\n  - {name: Bad, command: ["false"]}\n' });
  await workspace.run(['run', 'fails.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  // As a later version may write it: intact, with a type that this version does not have.
  const journal = fs.readFileSync(file, 'utf8');
  expect(journal).toContain('"failure":{"type":"exit-code"');
  fs.writeFileSync(file, journal.trimEnd().split('\n').map(fromTheFuture).join(''));
  const page = await servePage(workspace);
  const reading = read(page, `runs,inbox,run:${runId}`);
  await reading.ended;
  expect((await page.get('workflows')).status).toBe(200);
});

function fromTheFuture(line: string): string {
  const body = line
    .slice(0, line.lastIndexOf(',"crc":"'))
    .replaceAll('"failure":{"type":"exit-code"', '"failure":{"type":"from-the-future"');
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}
