/** An agent starts runs, follows them and reads their logs; and which tools it gets. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PhasesSite } from '../phases/site.ts';
import { call, connect } from './client.ts';

const TWO = `name: two
inputs: { word: { type: string, default: one } }
steps:
  - { name: Say, command: [echo, "\${context.word}"] }
  - { name: Fail, command: [bash, -c, "echo broken >&2; exit 3"] }
`;
const ASK = `name: ask
steps:
  - name: Release
    approve: { message: "Release it?", choices: [yes, no] }
  - { name: After, command: [echo, released] }
`;

/** Follows the run to its end, as an agent would. */
async function follow(client: Parameters<typeof call>[0], run: string): Promise<readonly { type: string }[]> {
  const events: { type: string }[] = [];
  for (let after = 0; ; ) {
    const { value } = await call(client, 'run_follow', { run, after, wait_seconds: 60 });
    events.push(...value.events);
    after = value.seen;
    if (value.process_alive === false) return events;
  }
}

describe('runs over MCP', () => {
  it('are started, followed to their end, and their logs read', async () => {
    const site = new PhasesSite({ 'two.yaml': TWO });
    const client = await connect(site);
    const started = await call(client, 'run_start', { workflow: 'two.yaml', context: { word: 'hello' } });
    expect(started).toMatchObject({ isError: false, value: { started: true, title: 'two' } });
    const run = started.value.run_id;
    const events = await follow(client, run);
    expect(events.at(0)).toMatchObject({ type: 'run-started' });
    expect(events.at(-1)).toMatchObject({ type: 'run-ended', status: 'failed' });
    expect((await call(client, 'run_log', { run, step: 'Say' })).value).toMatchObject({
      logs: [{ name: 'Say.stdout', step: 'Say', from: 0, text: 'hello\n' }],
    });
    const stderr = await call(client, 'run_log', { run: 'last', stream: 'stderr', bytes: 4 });
    expect(stderr.value.logs).toMatchObject([{ step: 'Fail', size: 7, from: 3, text: 'ken\n' }]);
    expect(await call(client, 'run_log', { run, step: 'Sya' })).toMatchObject({
      isError: true,
      data: { problem: { kind: 'not-found', type: 'no-such-step' } },
    });
    expect((await site.run(['show', run, '--json'])).exitCode).toBe(0);
  });

  it('are resumed in the background, and a person answers their questions', async () => {
    const site = new PhasesSite({ 'ask.yaml': ASK });
    const client = await connect(site);
    const { value } = await call(client, 'run_start', { workflow: 'ask.yaml' });
    const run = value.run_id;
    const events = await follow(client, run);
    expect(events).toContainEqual(expect.objectContaining({ type: 'question-asked', step: 'Release' }));
    expect(await call(client, 'run_approve', { run, step: 'Release', choice: 'yes' })).toMatchObject({
      isError: true,
      text: '`run_approve` is not allowed here: questions of a run are answered by a person; ask the user, who can start the server with `orchestrate mcp --allow run_approve`',
      data: { problem: { kind: 'conflict' } },
    });
    expect(site.list(`.orchestrate/runs/${run}`).filter((name) => name.startsWith('answers/'))).toEqual([]);
    expect(await site.run(['approve', run, 'Release', '--choose', 'yes', '--by', 'Alice'])).toMatchObject({
      exitCode: 0,
    });
    const resumed = await call(client, 'run_resume', { run });
    expect(resumed.value).toMatchObject({ run_id: run, started: true });
    const end = await call(client, 'run_follow', { run, until_end: true, wait_seconds: 60 });
    expect(end.value).toMatchObject({ status: 'completed', process_alive: false });
    expect((await call(client, 'run_resume', { run })).value).toMatchObject({ started: false });
  });

  it('that cannot be started are reported with every error of the file', async () => {
    const site = new PhasesSite({ 'bad.yaml': 'name: bad\nsteps:\n  - { nam: A, command: [echo] }\n' });
    const client = await connect(site);
    const refused = await call(client, 'run_start', { workflow: 'bad.yaml' });
    expect(refused).toMatchObject({ isError: true, data: { problem: { type: 'invalid-file' } } });
    expect(refused.text).toContain('line 3, column 7: unknown key `nam` (did you mean `name`?); line 3');
    expect(await call(client, 'run_start', { workflow: 'none.yaml' })).toMatchObject({ isError: true });
    expect(site.has('.orchestrate')).toBe(false);
  });

  it('outlive the server', async () => {
    const site = new PhasesSite({
      'wait.yaml': 'name: wait\nsteps:\n  - name: Wait\n    wait_for: { glob: go.txt, timeout_sec: 60 }\n',
    });
    const client = await connect(site);
    const { value } = await call(client, 'run_start', { workflow: 'wait.yaml' });
    await client.close();
    site.write({ 'go.txt': '' });
    const again = await connect(site);
    await follow(again, value.run_id);
    expect((await call(again, 'run_get', { run: value.run_id })).value.status).toBe('completed');
  });
});

describe('the tools that are offered', () => {
  const names = async (...flags: readonly string[]): Promise<readonly string[]> =>
    (await (await connect(new PhasesSite(), ...flags)).listTools()).tools.map(({ name }) => name);

  it('are the reading ones with --read-only', async () => {
    const site = new PhasesSite();
    await site.create('First');
    const client = await connect(site, '--read-only');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['workflow_get', 'task_list', 'task_get', 'session_list'],
      ...['runs_list', 'costs_get', 'run_get', 'run_follow', 'run_log'],
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(await call(client, 'phase_start', { phase: 'phase_0' })).toMatchObject({
      isError: true,
      text: '`phase_start` is not allowed here; ask the user to start the server with other options',
    });
    expect(site.statuses()).toEqual(['pending']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['explain_run']);
  });

  it('are exactly those of --only, and those of --allow in addition', async () => {
    expect(await names('--only', 'workflow_get,phase_complete')).toEqual(['workflow_get', 'phase_complete']);
    expect(await names('--only', 'run_approve')).toEqual(['run_approve']);
    const usual = await names();
    expect(usual).not.toContain('run_approve');
    expect(usual).not.toContain('clean');
    expect(await names('--allow', 'run_approve', '--allow', 'clean')).toEqual([
      ...usual,
      'run_approve',
      'clean',
    ]);
  });

  it.each([
    [['--allow', 'run_aprove'], 'unknown tool `run_aprove`; did you mean `run_approve`?'],
    [['--only', 'run_get', '--allow', 'clean'], '`--only` and `--allow` cannot be combined'],
    [['--read-only', '--allow', 'clean'], '`clean` does not only read'],
  ])('%j is refused', async (flags, words) => {
    const ended = await new PhasesSite().run(['mcp', ...flags]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(words) });
  });

  it('include `clean` only if it is allowed', async () => {
    const site = new PhasesSite({ 'w.yaml': 'name: w\nsteps:\n  - { name: A, command: [echo, a] }\n' });
    await site.run(['run', 'w.yaml', '--quiet']);
    const run = site.runs()[0];
    const refused = await call(await connect(site), 'clean', { older_than_days: 0 });
    expect(refused.text).toContain('`clean` is not allowed here: it removes files');
    const client = await connect(site, '--allow', 'clean');
    const dry = await call(client, 'clean', { older_than_days: 0, dry_run: true });
    expect(dry.value).toEqual({ would_remove: [run] });
    expect((await call(client, 'clean', {})).value).toEqual({ removed: [], kept: [] });
    const mine = `.orchestrate/runs/${run}/mine.txt`;
    site.write({ [mine]: 'mine' });
    expect((await call(client, 'clean', { older_than_days: 0 })).value).toEqual({
      removed: [],
      kept: [{ run_id: run, reason: 'not-ours', why: 'it contains `mine.txt`, not written by orchestrate' }],
    });
    fs.rmSync(`${site.folder}/${mine}`);
    expect((await call(client, 'clean', { older_than_days: 0 })).value).toEqual({ removed: [run], kept: [] });
    expect(site.runs()).toEqual([]);
  });
});

describe('the prompts', () => {
  it('describe common work with the tools', async () => {
    const client = await connect(new PhasesSite());
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      ...['work_on_phase', 'work_on_task', 'run_workflow', 'explain_run'],
    ]);
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    for (const { name, arguments: given = [] } of prompts) {
      const values = Object.fromEntries(given.map((each) => [each.name, 'value']));
      const { messages } = await client.getPrompt({ name, arguments: values });
      const [{ content } = { content: undefined }] = messages;
      const words = content?.type === 'text' ? content.text : '';
      const named = [...words.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, tool]) => tool);
      expect(offered, name).toEqual(expect.arrayContaining(named.filter((tool) => tool !== 'process_alive')));
    }
    await expect(client.getPrompt({ name: 'run_workflow' })).rejects.toThrow('missing argument `workflow`');
    await expect(client.getPrompt({ name: 'run_worklow' })).rejects.toThrow('did you mean `run_workflow`?');
    await expect(client.getPrompt({ name: 'explain_run', arguments: { rn: 'x' } })).rejects.toThrow(
      'unknown argument `rn`; did you mean `run`?',
    );
  });
});
