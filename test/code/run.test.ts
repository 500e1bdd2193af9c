import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { codeWorkspace, LIST, REVIEW, REVIEWED, workflowText } from './workflows.ts';

describe('a workflow in code', () => {
  it('runs, and is shown and explained like any other', async () => {
    const workspace = codeWorkspace(REVIEW, LIST);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(workspace.state()).toMatchObject({
      status: 'completed',
      title: 'tested',
      workflow_file: 'w.workflow.mjs',
      output: REVIEWED,
      for_each: { Review: { completed_indices: [0, 1] } },
    });
    expect(workspace.read('saved.txt')).toBe('yes');
    expect((await workspace.run(['show', 'last', '--json'])).stdout).toContain('"output": {');
    const explained = await workspace.run(['explain', 'last', 'Publish']);
    expect(explained).toMatchObject({ exitCode: 0 });
    expect((await workspace.run(['logs', 'last', 'Publish'])).stdout).toContain('done');
  });

  it('checks its input before anything is written', async () => {
    const workspace = codeWorkspace('return input;');
    const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) =>
      typeof value.count === 'number' ? { value } : { issues: [{ message: 'expected a number', path: ['count'] }] } } }`;
    workspace.write({
      'w.workflow.mjs': workflowText('return input;').replace(
        "name: 'tested',",
        `name: 'tested', input: ${schema},`,
      ),
    });
    const refused = await workspace.run(['run', 'w.workflow.mjs', '--input', 'count=many']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('the input does not fit `w.workflow.mjs`\n  count: expected a number\n');
    expect(workspace.has('.orchestrate')).toBe(false);
    for (const given of ['count=3', '{"count": 3}', '@given.json']) {
      workspace.write({ 'given.json': '{"count": 3}' });
      expect(await workspace.run(['run', 'w.workflow.mjs', '--input', given])).toMatchObject({ exitCode: 0 });
      expect(workspace.state()['output']).toEqual({ count: 3 });
    }
  });

  it('waits for a person, and neither `catch` nor `finally` runs meanwhile', async () => {
    const workspace = codeWorkspace(`
let choice = 'none';
try {
  choice = await ctx.approve('Go', { message: 'Go?', choices: ['a', 'b'] });
} catch {
  fs.writeFileSync('caught', '');
} finally {
  fs.appendFileSync('finally', 'x');
}
return { choice };`);
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 3 });
    expect(workspace.state().status).toBe('waiting');
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect([workspace.has('caught'), workspace.has('finally')]).toEqual([false, false]);
    await workspace.run(['approve', 'last', 'Go', '--choose', 'b']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ choice: 'b' });
    expect([workspace.has('caught'), workspace.read('finally')]).toEqual([false, 'x']);
  });

  it.each([
    [
      'Promise.all',
      "await Promise.all([ctx.command('P1', ['true']), ctx.command('P2', ['true'])]);",
      '`P2` was called while `P1` is still running: await it, or use ctx.each or ctx.all (w.workflow.mjs:8:',
    ],
    [
      'a missing await',
      "ctx.command('P1', ['true']);\nawait ctx.command('P2', ['true']);",
      '`P2` was called while `P1` is still running: await it, or use ctx.each or ctx.all (w.workflow.mjs:9:',
    ],
    [
      'a missing await at the end',
      "ctx.command('P1', ['true']);",
      '`P1` was still running at the end: await it (w.workflow.mjs:8:',
    ],
    [
      'a call that is never awaited, and failed long before the end',
      "ctx.command('P1', ['false']);\nawait new Promise((resolve) => setTimeout(resolve, 500));",
      '`P1` was not awaited: its failure would be lost (w.workflow.mjs:8:',
    ],
    [
      'branches that are never awaited',
      "ctx.all('Both', { a: (ctx) => ctx.command('P1', ['false']) });\nawait new Promise((resolve) => setTimeout(resolve, 500));",
      '`Both` was not awaited: its failure would be lost (w.workflow.mjs:8:',
    ],
    [
      'a mistake that is caught',
      "ctx.command('P1', ['true']);\ntry { await ctx.command('P2', ['true']); } catch {}",
      '`P2` was called while `P1` is still running',
    ],
    [
      'a name that cannot be a key',
      "await ctx.command('Build all', ['true']);",
      '`Build all` cannot be the name of a call: use letters, digits and `_ . : -`; `Build-all` would do (w.workflow.mjs:8:',
    ],
    [
      'an unknown agent',
      "await ctx.agent('Ask', { agent: 'helpre', prompt: 'x' });",
      '`Ask` asks for the unknown agent `helpre`; did you mean `helper`? (w.workflow.mjs:8:',
    ],
    [
      'a value that is not JSON',
      "await ctx.do('Now', () => ({ list: [{ at: new Date(0) }] }));",
      '`.list[0].at` is a Date, which is not JSON',
    ],
    [
      'a value that contains itself',
      "const self = {};\nself.inside = { self };\nawait ctx.do('Self', () => self);",
      'it returned something else than JSON: `.inside.self.inside.self.inside.self.ins…` is nested more than 500 levels deep, or contains itself, which is not JSON',
    ],
    [
      'the outer context in the body of `each`',
      "await ctx.each('Each', ['a', 'b'], async (_, name) => ctx.command('P2', ['echo', name]));",
      '`P2` was called while `Each` is still running: await it; in its body, use the ctx that the body is given (w.workflow.mjs:8:',
    ],
    [
      'a call in a function of `do`',
      "await ctx.do('Outer', () => ctx.command('P2', ['true']));",
      '  `P2` was called while `Outer` is still running: await it; the function of ctx.do cannot make calls of its own (w.workflow.mjs:8:',
    ],
    [
      'an error that says why only in its cause',
      "await ctx.do('Get', () => { throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }); });",
      '  Get: TypeError: fetch failed; caused by Error: connect ECONNREFUSED (w.workflow.mjs:8:',
    ],
    [
      'an error that repeats its cause',
      "throw new Error('cannot ship: no key', { cause: new Error('no key') });",
      '  Error: cannot ship: no key (w.workflow.mjs:8:',
    ],
    [
      'several errors in one',
      "throw new AggregateError([new Error('one'), { code: 2 }], 'none worked');",
      '  AggregateError: none worked; caused by Error: one; { code: 2 } (w.workflow.mjs:8:',
    ],
    [
      'something else than an error',
      "await ctx.do('Odd', () => { throw Object.assign(Object.create(null), { code: 5 }); });",
      '  Odd: it threw [Object: null prototype] { code: 5 }\n',
    ],
    [
      'an error with megabytes of words',
      "throw new Error('x'.repeat(5_000_000));",
      `${'x'.repeat(3993)}… (4996007 more characters) (w.workflow.mjs:8:`,
    ],
    ['an error of its own', 'const nothing = undefined;\nreturn nothing.x;', '(w.workflow.mjs:9:'],
  ])('fails with the place in its file, and exit code 1, for %s', async (_, body, message) => {
    const workspace = codeWorkspace(body);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(message);
    expect(workspace.state()).toMatchObject({ status: 'failed' });
  });

  it('says how to continue after a file could not be read: correct it, and resume', async () => {
    const workspace = codeWorkspace("return ctx.read('Read', '../secret.txt');");
    const failed = await workspace.run(['run', 'w.workflow.mjs']);
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain('Read: the path `../secret.txt` contains `..`');
    expect(failed.stderr).toMatch(/\n {2}to continue: orchestrate resume \S+\n/);
    workspace.write({
      'w.workflow.mjs': workflowText("return ctx.read('Read', 'open.txt');"),
      'open.txt': 'open',
    });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toBe('open');
  });

  it('continues after a bug is fixed, and repeats nothing', async () => {
    const body = (last: string) => `
await ctx.command('Count', ['sh', '-c', 'echo x >> count']);
${last}`;
    const workspace = codeWorkspace(body('return input.missing.value;'));
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 1 });
    workspace.write({ 'w.workflow.mjs': workflowText(body('return { done: true };')) });
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.stderr).toContain('`w.workflow.mjs` has changed; what is done fits');
    expect(workspace.read('count')).toBe('x\n');
  });

  it('throws StepFailed for a failed call; what escapes is retried, with the clean-up after it', async () => {
    const workspace = codeWorkspace(`
const { exitCode } = await ctx.command('Allowed', ['sh', '-c', 'exit 3'], { allowFailure: true });
let caught = '';
try {
  await ctx.command('Caught', ['sh', '-c', 'echo x >> caught; exit 1']);
} catch (problem) {
  if (problem instanceof StepFailed) caught = problem.step + ' ' + problem.failure.type + ' ' + problem.advice.type;
}
try {
  await ctx.command('Fails', ['test', '-e', 'there']);
} finally {
  await ctx.command('Clean', ['sh', '-c', 'echo x >> clean']);
}
return { exitCode, caught };`);
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 1 });
    workspace.write({ there: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ exitCode: 3, caught: 'Caught exit-code retry' });
    expect([workspace.read('caught'), workspace.read('clean')]).toEqual(['x\n', 'x\nx\n']);
  });

  it('retries only the failed items of `each`', async () => {
    const workspace = codeWorkspace(`
return ctx.each('All', ['a', 'b', 'c'], async (ctx, item) => {
  await ctx.do('Work', () => {
    fs.appendFileSync('worked', item);
    if (item === 'b' && !fs.existsSync('there')) throw new Error('no b');
  });
  return item;
}, { onFailure: 'continue' });`);
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 1 });
    workspace.write({ there: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual(['a', 'b', 'c']);
    expect(workspace.read('worked')).toBe('abcb');
  });

  it('runs an effect of its own with its input, and the same idempotency key after a retry', async () => {
    const workspace = codeWorkspace(`
const any = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
const open = effect({ name: 'open-pr', input: any, output: any, async run({ title }, { idempotencyKey, attempt }) {
  fs.appendFileSync('keys', idempotencyKey + '\\n');
  if (attempt === 1) throw new Error('try again');
  return { url: 'pr/' + title };
} });
return ctx.do('Pr', open, { title: 'x' }, { retries: 1, retryDelay: 1 });`);
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ url: 'pr/x' });
    const [runId = ''] = workspace.runs();
    expect(workspace.read('keys')).toBe(`${runId}/Pr\n${runId}/Pr\n`);
  });

  it('runs its clean-up when it is cancelled, and ends as cancelled whatever it catches', async () => {
    const workspace = codeWorkspace(`
try {
  await ctx.command('Long', ['sh', '-c', 'echo $$ > started; sleep 600']);
} catch (problem) {
  await ctx.command('Clean', ['sh', '-c', 'echo "$0" > cleaned', problem.name]);
}
return 'swallowed';`);
    const started = workspace.start(['run', 'w.workflow.mjs']);
    await until(() => workspace.has('started'));
    await workspace.run(['cancel', 'last']);
    expect((await started.ended).exitCode).not.toBe(0);
    expect(workspace.state().status).toBe('cancelled');
    expect(workspace.read('cleaned')).toBe('Cancelled\n');
  });

  it('is forked from a call', async () => {
    const workspace = codeWorkspace(REVIEW, LIST);
    await workspace.run(['run', 'w.workflow.mjs']);
    expect(await workspace.run(['fork', 'last', '--from', 'Both'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual(REVIEWED);
    const counts = ['counts-Changes', 'counts-Note-a.ts', 'counts-Echo', 'counts-Publish'];
    expect(counts.map((name) => workspace.read(name))).toEqual(['x\n', 'x\n', 'x\nx\n', 'x\nx\n']);
  });
});
