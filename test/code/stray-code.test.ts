/** Code of a workflow that ends the process, never ends itself, or fails where nothing catches it. */
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { codeWorkspace, workflowText } from './workflows.ts';

const CALL = "await ctx.command('First', ['true']);";

describe('a workflow in code', () => {
  it.each([
    [
      'waits for what never happens',
      `${CALL}\nawait new Promise(() => {});`,
      'it waits for something that never happens; its last call was `First` (w.workflow.mjs:8:',
    ],
    [
      'calls a function that never returns',
      "await ctx.do('Stuck', () => new Promise(() => {}));",
      'it waits for something that never happens; its last call was `Stuck` (w.workflow.mjs:8:',
    ],
    [
      'leaves a rejected promise alone',
      `Promise.reject(new Error('lost'));\n${CALL}`,
      'Error: lost (w.workflow.mjs:8:',
    ],
    [
      'throws in a timer while a command runs',
      "setTimeout(() => { throw new Error('late'); }, 10);\nawait ctx.command('Long', ['sleep', '600']);",
      'Error: late (w.workflow.mjs:8:',
    ],
    [
      'throws in a branch something that looks like a stop of the run',
      "await ctx.each('All', [1], async () => { throw { type: 'cancelled' }; });",
      "it threw { type: 'cancelled' }",
    ],
    [
      'asks a person and does not wait for it',
      `ctx.approve('Go', { message: 'Go?', choices: ['yes'] });`,
      '`Go` was still running at the end: await it (w.workflow.mjs:8:',
    ],
    [
      'races a question with a command',
      `await Promise.race([ctx.approve('Go', { message: 'Go?', choices: ['yes'] }), ctx.command('P2', ['true'])]);`,
      '`P2` was called while `Go` is still running',
    ],
    [
      'races a pause with a command',
      `await Promise.race([ctx.sleep('Pause', '1d'), ctx.command('P2', ['true'])]);`,
      '`P2` was called while `Pause` is still running',
    ],
    [
      'races a long command with another',
      `await Promise.race([ctx.command('Long', ['sleep', '600']), ctx.command('P2', ['true'])]);`,
      '`P2` was called while `Long` is still running',
    ],
  ])('fails at once, with exit code 1, if it %s', async (_, body, message) => {
    const workspace = codeWorkspace(body);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(message);
    expect(workspace.state()).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['at once', 'process.exit(0);'],
    ['in a function', "await ctx.do('Exit', () => process.exit(0));"],
  ])('is interrupted, not done, if it calls process.exit %s', async (_, body) => {
    const workspace = codeWorkspace(`${CALL}\n${body}`);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    const [runId = ''] = workspace.runs();
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toMatch(/error: the program called process\.exit\(\) \(w\.workflow\.mjs:9:\d+\)/);
    expect(ended.stderr).toContain(`is interrupted\nhelp: correct it, then orchestrate resume ${runId}\n`);
    workspace.write({ 'w.workflow.mjs': workflowText(`${CALL}\nreturn 'done';`) });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
  });

  it('ends although it has left a timer behind', async () => {
    const workspace = codeWorkspace("setInterval(() => {}, 1000);\nreturn 'done';");
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 0 });
  });

  it('gets in its own `catch` what its branch has thrown', async () => {
    const workspace = codeWorkspace(`
try {
  await ctx.each('All', [1], async () => { throw { type: 'own', code: 7 }; });
} catch (problem) {
  return problem;
}`);
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ type: 'own', code: 7 });
  });

  it('stops although a function does not heed its signal', async () => {
    const workspace = codeWorkspace(`
await ctx.do('Deaf', () => {
  fs.writeFileSync('started', '');
  return new Promise((resolve) => setTimeout(resolve, 600_000));
});`);
    const run = workspace.start(['run', 'w.workflow.mjs']);
    await until(() => workspace.has('started'));
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 130 });
    expect(workspace.state().status).toBe('interrupted');
  });
});

describe('a file of a workflow', () => {
  it.each([
    ['await new Promise(() => {});', 'error: loading w.workflow.mjs never ends: its top level waits for'],
    ['process.exit(0);', 'error: w.workflow.mjs called process.exit() while it was loaded\n'],
  ])('whose top level is `%s` starts nothing', async (top, message) => {
    const workspace = codeWorkspace('return 1;');
    workspace.write({ 'w.workflow.mjs': `${top}\n${workflowText('return 1;')}` });
    for (const command of ['run', 'validate']) {
      const ended = await workspace.run([command, 'w.workflow.mjs']);
      expect(ended).toMatchObject({ exitCode: 2 });
      expect(ended.stderr).toContain(message);
      expect(workspace.has('.orchestrate')).toBe(false);
    }
  });
});
