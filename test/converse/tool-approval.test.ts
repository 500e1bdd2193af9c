import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { onTerminal } from '../iterate/on-terminal.ts';
import { BINARY, countOf, until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { ask, Talk, text } from './rig.ts';

describe('a tool that needs approval', () => {
  const tools = (approve: string) => [
    { name: 'deploy', command: ['bash', '-c', 'echo x >> deployed; echo deployed'], approve },
  ];
  const other = [{ name: 'greet', command: ['echo', 'hi'], approve: 'once' }];
  const turn = [
    [
      ask('t1', 'deploy', {}),
      ask('t2', 'greet', {}),
      // Decided by the answer to the request before it.
      ask('t3', 'greet', {}),
      ask('t4', 'deplo', {}),
    ],
    [text('Done.')],
  ];
  const twice = [[ask('toolu_1', 'deploy', {})], [ask('toolu_2', 'deploy', {})], [text('Done.')]];

  it('waits with exit code 3 until the user allows it, each time', async () => {
    const talk = new Talk({ says: twice, tools: tools('always') });
    const asked = await talk.converse(['run', 'talk']);
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain("allow `deploy` to run bash -c 'echo x >> deployed; echo deployed'?");
    expect(talk.session()).toMatchObject({ status: 'waiting', current_iteration: 0 });
    expect(talk.has('talk/deployed')).toBe(false);
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });

    const [runId = ''] = talk.runs();
    expect(await talk.run(['approve', runId, '1/toolu_1', '--choose', 'allow'])).toMatchObject({
      exitCode: 0,
    });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(talk.session()).toMatchObject({ status: 'waiting', current_iteration: 1 });
    expect(countOf(talk, 'talk/deployed')).toBe(1);

    const no = ['approve', runId, '2/toolu_2', '--choose', 'deny', '--comment', 'not on a Friday'];
    expect(await talk.run(no)).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.results().results).toMatchObject([
      { status: 'denied', output: 'the user denied this: not on a Friday' },
    ]);
    expect(countOf(talk, 'talk/deployed')).toBe(1);
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 3 });
  });

  it('is asked about together with the others of its turn, and malformed requests are shown', async () => {
    const talk = new Talk({ says: turn, tools: [...tools('always'), ...other] });
    const asked = await talk.converse(['run', 'talk']);
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain(
      '→ 1/t4  the agent requested `deplo`, which was not run: unknown tool `deplo`; did you mean `deploy`?\n',
    );
    expect(Object.keys(talk.state().waiting_for ?? {})).toEqual(['1/t1', '1/t2']);
    expect(await talk.run(['approve', 'last', 't2', '--choose', 'deny'])).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(talk.has('talk/deployed')).toBe(false);
    expect(await talk.run(['approve', 'last', 't1', '--choose', 'allow'])).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.results().results.map(({ status }) => status)).toEqual([
      ...['success', 'denied', 'denied', 'error'],
    ]);
    expect(countOf(talk, 'talk/deployed')).toBe(1);
  });

  it('is asked about at once on a terminal, and the conversation continues', async () => {
    const talk = new Talk({ says: turn, tools: [...tools('always'), ...other] });
    const elsewhere = temporaryFolder();
    fs.mkdirSync(path.join(elsewhere, 'tmp'));
    const place = { folder: talk.folder, path: process.env['PATH'] ?? '', elsewhere };
    const terminal = onTerminal(place, ['converse', 'run', 'talk', '--trust'], { binary: BINARY });
    await until(() => terminal.text().includes("deployed'? (allow, deny)"));
    terminal.press('allow\r');
    await until(() => terminal.text().includes('run echo hi? (allow, deny)'));
    terminal.press('d\r');
    expect(await terminal.ended).toBe(0);
    // The figures are those of the whole run.
    const shown = (await talk.run(['show', 'last'])).stdout;
    expect(shown).toContain(', 3 steps\n');
    expect(terminal.cells()).toContain('✓ completed  3 steps  ');
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
    expect(talk.results().results.map(({ status }) => status)).toEqual([
      ...['success', 'denied', 'denied', 'error'],
    ]);
  });

  it('with `approve: once` is not asked about again', async () => {
    const talk = new Talk({ says: twice, tools: tools('once') });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(await talk.run(['approve', 'last', 'toolu_1', '--choose', 'allow'])).toMatchObject({
      exitCode: 0,
    });
    const resumed = await talk.converse(['resume', 'talk']);
    // The figures are those of the whole run.
    const steps = /, (\d+) steps\n/.exec((await talk.run(['show', 'last'])).stdout)?.[1];
    expect(resumed).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`✓ completed  ${steps} steps  `),
    });
    expect(countOf(talk, 'talk/deployed')).toBe(2);
  });

  it('can be resumed like any other run', async () => {
    const talk = new Talk({
      says: [[ask('toolu_1', 'deploy', {})], [text('Done.')]],
      tools: tools('always'),
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 3 });
    await talk.run(['approve', 'last', '1/toolu_1', '--choose', 'allow']);
    expect(await talk.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
  });
});
