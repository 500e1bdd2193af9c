/** Programs that embed Orchestrate: each test is a program of its own, as its user would write it. */

import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { runProgram } from './run-program.ts';

const ASK = `
export const ask = workflow({
  name: 'ask',
  async run(ctx, { who }) {
    const { stdout } = await ctx.command('Greet', ['echo', 'hello ' + who]);
    const go = await ctx.approve('Release', { message: 'Release?', choices: ['yes', 'no'] });
    return { stdout, go };
  },
});
`;
const COUNT = `
export const count = workflow({
  name: 'count',
  async run(ctx, { to }) {
    const counted = await ctx.each('Count', Array.from({ length: to }, (_, n) => n), (ctx, n) => ctx.do('Double', () => n * 2), { limit: 2 });
    return counted.reduce((sum, each) => sum + each, 0);
  },
});
`;

function program<Value>(workspace: Workspace, text: string): Value {
  const before = `${ASK}${COUNT}
const events = [];
const orchestrator = createOrchestrator({ workspace: '.', onEvent: (id, event) => void events.push([id, event.type]) });`;
  return runProgram(workspace, { before, text, after: 'await orchestrator.close();' });
}

describe('a program that embeds Orchestrate', () => {
  it('runs three workflows at once, answers one from its events, and is left as it was', () => {
    const workspace = new Workspace({
      'yaml.yaml':
        'name: yaml\ncontext: {who: nobody}\nsteps:\n  - {name: Greet, command: [echo, "hello ${context.who}"]}\noutputs: {said: "${steps.Greet.output}"}\n',
    });
    const got = program<{ [name: string]: unknown }>(
      workspace,
      `
      const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
      const before = listeners();
      const runs = await Promise.all([
        orchestrator.start(ask, { who: 'one' }),
        orchestrator.start(count, { to: 4 }),
        orchestrator.start('yaml.yaml', { who: 'three' }),
      ]);
      for await (const event of runs[0].events)
        if (event.type === 'question-asked') await runs[0].approve('Release', 'yes', { by: 'ci' });
      const ends = await Promise.all(runs.map((run) => run.done));
      await orchestrator.close();
      const ids = new Set(events.map(([id]) => id));
      return { ends, ids: runs.every(({ id }) => ids.has(id)), same: JSON.stringify(before) === JSON.stringify(listeners()) };
      `,
    );
    expect(got).toEqual({
      ends: [
        { status: 'completed', output: { stdout: 'hello one', go: 'yes' } },
        { status: 'completed', output: 12 },
        { status: 'completed', output: { said: 'hello three' } },
      ],
      ids: true,
      same: true,
    });
    expect(workspace.runs()).toHaveLength(3);
  });

  it('gets a run that waits, answers it later, and resumes it', () => {
    const got = program<{ [name: string]: unknown }>(
      new Workspace(),
      `
      const run = await orchestrator.start(ask, { who: 'me' });
      const waiting = await run.done;
      const listed = (await orchestrator.list({ status: 'waiting' })).map(({ run_id, waiting_for }) => ({ run_id, waiting_for }));
      await orchestrator.approve(run.id, 'Release', 'no');
      const again = await orchestrator.resume(run.id);
      const end = await again.done;
      const { status, steps } = await orchestrator.show(run.id);
      return { waiting, isListed: listed.length === 1 && listed[0].run_id === run.id, end, status };
      `,
    );
    expect(got).toEqual({
      waiting: {
        status: 'waiting',
        questions: [{ key: 'Release', message: 'Release?', choices: ['yes', 'no'] }],
      },
      isListed: true,
      end: { status: 'completed', output: { stdout: 'hello me', go: 'no' } },
      status: 'completed',
    });
  });

  it('may wait for the end while it handles an event: that ends nothing in a deadlock', () => {
    const end = program(
      new Workspace(),
      `
      const run = await orchestrator.start(ask, { who: 'me' });
      for await (const event of run.events) if (event.type === 'question-asked') return run.done;
      `,
    );
    expect(end).toMatchObject({ status: 'waiting' });
  });

  it('answers from the events of a run while other code waits for its end, and gets them all', () => {
    const got = program<{ [name: string]: unknown }>(
      new Workspace(),
      `
      const runs = await Promise.all(['one', 'two'].map((who) => orchestrator.start(ask, { who })));
      const types = runs.map(() => []);
      const readers = runs.map(async (run, index) => {
        for await (const { type, key } of run.events) {
          types[index].push(type);
          if (type === 'question-asked') await run.approve(key, 'yes');
        }
      });
      const ends = await Promise.all(runs.map((run) => run.done));
      await Promise.all(readers);
      return { ends: ends.map(({ status }) => status), last: types.map((each) => each.at(-1)) };
      `,
    );
    expect(got).toEqual({ ends: ['completed', 'completed'], last: ['run-ended', 'run-ended'] });
  });

  it('answers from `onEvent`, which may take its time', () => {
    const end = program(
      new Workspace(),
      `
      const other = createOrchestrator({
        onEvent: async (id, event) => {
          if (event.type !== 'question-asked') return;
          await new Promise((resolve) => setTimeout(resolve, 50));
          await other.approve(id, event.key, 'yes');
        },
      });
      return (await other.start(ask, { who: 'me' })).done;
      `,
    );
    expect(end).toMatchObject({ status: 'completed', output: { go: 'yes' } });
  });

  it('gets failures as values, and refusals as errors', () => {
    const workspace = new Workspace({
      'bad.workflow.mjs': 'export default {;\n',
      'bad.yaml': 'name: bad\nsteps:\n  - {name: A, comand: ["true"]}\n',
    });
    const got = program<{ [name: string]: unknown }>(
      workspace,
      `
      const refusalOf = async (action) => {
        try { await action(); } catch (problem) {
          return { isOurs: problem instanceof OrchestrateError, type: problem.type, kind: problem.kind, message: problem.message };
        }
      };
      const fails = workflow({ name: 'fails', run: async (ctx) => { await ctx.command('Fail', ['false']); return {}; } });
      const catches = workflow({ name: 'catches', async run(ctx) {
        try { await ctx.command('Fail', ['false']); } catch (problem) { return { caught: problem instanceof StepFailed, step: problem.step }; }
        return {};
      } });
      const failed = await (await orchestrator.start(fails, {})).done;
      const caught = await (await orchestrator.start(catches, {})).done;
      return {
        failed, caught,
        syntax: await refusalOf(() => orchestrator.start('bad.workflow.mjs')),
        yaml: await refusalOf(() => orchestrator.start('bad.yaml')),
        gone: await refusalOf(() => orchestrator.resume('20200101T000000Z-abcdef')),
        folder: await refusalOf(async () => createOrchestrator({ workspace: 'no-such-folder' })),
      };
      `,
    );
    expect(got).toMatchObject({
      failed: { status: 'failed', failure: { type: 'exit-code', exitCode: 1 } },
      caught: { status: 'completed', output: { caught: true, step: 'Fail' } },
      syntax: {
        isOurs: true,
        kind: 'invalid',
        type: 'invalid-file',
        message: expect.stringContaining('bad.workflow.mjs:1:17: error[module/syntax]'),
      },
      yaml: { isOurs: true, message: expect.stringContaining('bad.yaml:3:15: error[workflow/unknown-key]') },
      gone: { isOurs: true, kind: 'not-found' },
      folder: { isOurs: true, kind: 'not-found', message: 'no such folder: `no-such-folder`' },
    });
  });

  it('interrupts what runs when it is closed; the command line resumes it', async () => {
    const workspace = new Workspace({
      'slow.workflow.mjs': `
import { workflow } from 'orchestrate-run';
export default workflow({ name: 'slow', async run(ctx) {
  await ctx.command('First', ['sh', '-c', 'echo once >> first']);
  await ctx.command('Slow', ['sh', '-c', 'echo begun >> slow; test -e go || sleep 600']);
  return { done: true };
} });
`,
    });
    const end = program(
      workspace,
      `
      const run = await orchestrator.start('slow.workflow.mjs');
      for await (const event of run.events) if (event.type === 'process-started' && event.key === 'Slow') break;
      await orchestrator.close();
      return run.done;
      `,
    );
    expect(end).toEqual({ status: 'interrupted' });
    workspace.write({ go: '' });
    expect(await workspace.run(['resume', 'last', '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('first')).toBe('once\n');
  });

  it('runs the `finally` steps of a waiting run that it cancels', () => {
    const workspace = new Workspace({
      'w.yaml':
        'name: w\nsteps:\n  - { name: Ask, approve: { message: "?", choices: [yes] } }\nfinally:\n  - { name: Tidy, command: [touch, tidied] }\n',
    });
    const status = program<string>(
      workspace,
      `
      const run = await orchestrator.start('w.yaml');
      for await (const event of run.events) if (event.type === 'question-asked') break;
      await orchestrator.close();
      const again = createOrchestrator({ workspace: '.' });
      await again.cancel(run.id);
      const { status } = await again.show(run.id);
      await again.close();
      return status;
      `,
    );
    expect(status).toBe('cancelled');
    expect(workspace.has('tidied')).toBe(true);
  });

  it('cancels a run, refuses to run it twice, and to start more once it is closed', () => {
    const got = program<{ [name: string]: unknown }>(
      new Workspace(),
      `
      const slow = workflow({ name: 'slow', run: async (ctx) => { await ctx.command('Slow', ['sleep', '600']); return {}; } });
      const run = await orchestrator.start(slow, {});
      for await (const event of run.events) if (event.type === 'process-started') break;
      const twice = await orchestrator.resume(run.id).catch(({ kind, message }) => ({ kind, message: message.replace(run.id, 'ID') }));
      const elsewhere = await createOrchestrator({ workflows: [slow] }).resume(run.id).catch(({ kind }) => kind);
      await run.cancel();
      const end = await run.done;
      await orchestrator.close();
      const refused = await orchestrator.start(slow, {}).catch(({ kind, type, message }) => ({ kind, type, message }));
      return { end, refused, twice, elsewhere };
      `,
    );
    expect(got).toEqual({
      end: { status: 'cancelled' },
      refused: { kind: 'conflict', type: 'orchestrator-closed', message: 'the orchestrator is closed' },
      twice: { kind: 'held', message: 'run `ID` is already running in this process' },
      elsewhere: 'held',
    });
  });

  it('refuses options that do not exist, before anything is started', () => {
    const workspace = new Workspace();
    const got = program<readonly string[]>(
      workspace,
      `
      const said = ({ type, message, help }) => [type, message, help].join(': ');
      return [
        await (async () => createOrchestrator({ workspce: '.' }))().catch(said),
        await orchestrator.start(ask, { who: 'one' }, { agents: 'mock' }).catch(said),
        await orchestrator.resume('last', { force: true }).catch(said),
        await orchestrator.approve('last', 'Release', 'yes', 'ci').catch(said),
      ];
      `,
    );
    expect(got).toEqual([
      'unknown-option: unknown option `workspce` of `createOrchestrator`: did you mean `workspace`?',
      'unknown-option: unknown option `agents` of `start`: did you mean `agent`?',
      'unknown-option: unknown option `force` of `resume`: valid options: acceptChanges, asStarted',
      'unknown-option: the options of `approve` must be an object, not `ci`: ',
    ]);
    expect(workspace.runs()).toEqual([]);
  });

  it('resumes a run of a workflow without a file in another process, if it has the workflow', () => {
    const workspace = new Workspace();
    const id = program<string>(
      workspace,
      "const run = await orchestrator.start(ask, { who: 'me' }); await run.done; return run.id;",
    );
    const got = program<{ [name: string]: unknown }>(
      workspace,
      `
      await orchestrator.approve('${id}', 'Release', 'yes');
      const refused = await orchestrator.resume('${id}').catch((problem) => problem.type);
      const other = createOrchestrator({ workflows: [ask] });
      return { refused, end: await (await other.resume('last')).done };
      `,
    );
    expect(got).toEqual({
      refused: 'workflow-not-given',
      end: { status: 'completed', output: { stdout: 'hello me', go: 'yes' } },
    });
  });
});
