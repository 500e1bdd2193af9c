/** Workflows that call each other, checks against kept journals, secrets, budgets and cassettes. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startedSteps } from '../workflow/runs.ts';
import { codeWorkspace, workflowText } from './workflows.ts';

const BUILD = `name: build
context: {target: dev}
steps:
  - {name: Compile, command: [sh, -c, 'echo x >> compiled; echo "built for $0"', "\${context.target}"]}
  - {name: Test, command: [test, -e, there]}
outputs: {text: "\${steps.Compile.output}"}
`;

describe('a workflow in code', () => {
  it('calls a YAML file: its steps are part of the run, and only what failed is retried', async () => {
    const workspace = codeWorkspace(
      `
const { text } = await ctx.call('Build', 'build.yaml', { context: { target: 'prod' } });
return { text };`,
      { 'build.yaml': BUILD },
    );
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 1 });
    expect(startedSteps(workspace)).toContain('Build/Compile');
    workspace.write({ there: '' });
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ text: 'built for prod' });
    expect(workspace.read('compiled')).toBe('x\n');
  });

  it('calls another workflow in code, whose calls have keys below its own', async () => {
    const workspace = codeWorkspace(`
const inner = (await import('./inner.workflow.mjs')).default;
const a = await ctx.call('Inner', inner, { word: 'one' });
const b = await ctx.call('Inner', inner, { word: 'two' });
return [a, b];`);
    workspace.write({
      'inner.workflow.mjs': workflowText("return (await ctx.command('Say', ['echo', input.word])).stdout;"),
    });
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual(['one', 'two']);
    expect(startedSteps(workspace)).toEqual(['Inner/Say', 'Inner#2/Say']);
  });

  it('types the answer of an agent by a schema, and asks again with what it finds wrong', async () => {
    const workspace = codeWorkspace('');
    workspace.write({
      'w.workflow.mjs': workflowText(`
const Verdict = { '~standard': { version: 1, vendor: 'test',
  validate: (value) => value?.verdict === 'ship' ? { value: { ...value, isChecked: true } } : { issues: [{ message: 'must be ship', path: ['verdict'] }] },
  jsonSchema: { input: () => ({ type: 'object', properties: { verdict: { enum: ['ship', 'fix'] } }, required: ['verdict'] }) } } };
const { data } = await ctx.agent('Ask', { agent: 'helper', prompt: 'Review', schema: Verdict });
const stubborn = await ctx.agent('Fix', { agent: 'other', prompt: 'Review', schema: Verdict, expect: { reask: 1 }, allowFailure: true });
return { data, failure: stubborn.failure };`).replace(
        "helper: { adapter: 'mock' }",
        "helper: { adapter: 'mock' }, other: { adapter: 'mock', script: { structured: { verdict: 'fix' } } }",
      ),
    });
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({
      data: { verdict: 'ship', isChecked: true },
      failure: { type: 'unproven', reasons: ['verdict: must be ship'] },
    });
    expect(startedSteps(workspace)).toEqual(['Ask', 'Fix', 'Fix@ask2']);
  });

  it('refuses a schema that cannot describe itself, and names the call', async () => {
    const workspace = codeWorkspace(`
const Plain = { '~standard': { version: 1, vendor: 'valibot', validate: (value) => ({ value }) } };
await ctx.agent('Ask', { agent: 'helper', prompt: 'Review', schema: Plain });`);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('the schema of `Ask`, by valibot, cannot be turned into a JSON Schema');
    expect(ended.stderr).toContain('(w.workflow.mjs:9:');
  });

  it('stops at its budget, and says what is spent', async () => {
    const workspace = codeWorkspace('');
    workspace.write({
      'w.workflow.mjs': workflowText(`
for (const n of [1, 2, 3]) await ctx.agent('Ask', { agent: 'helper', prompt: String(n) });`).replace(
        "name: 'tested',",
        "name: 'tested', budget: { tokens: 10 },",
      ),
    });
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('the budget of 10 tokens is used up');
    expect(workspace.state().totals.agent_calls).toBeLessThan(3);
  });

  it('keeps secrets out of every file, also those that only a call names', async () => {
    const secret = 'correct-horse-battery';
    const workspace = codeWorkspace(`
const { stdout } = await ctx.command('Show', ['sh', '-c', 'echo "$MY_TOKEN"'], { secrets: ['MY_TOKEN'] });
await ctx.do('Leak', () => process.env.MY_TOKEN);
const named = await ctx.do('LeakAsName', () => ({ [process.env.MY_TOKEN]: [{ ['a ' + process.env.MY_TOKEN]: 1 }] }));
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });
return { stdout, named };`);
    const env = { MY_TOKEN: secret };
    expect(await workspace.run(['run', 'w.workflow.mjs'], { env })).toMatchObject({ exitCode: 3 });
    await workspace.run(['approve', 'last', 'Go', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last'], { env })).toMatchObject({ exitCode: 0 });
    const files = workspace
      .list('.orchestrate')
      .map((name) => path.join(workspace.folder, '.orchestrate', name))
      .filter((name) => fs.statSync(name).isFile());
    expect(files.filter((name) => fs.readFileSync(name, 'utf8').includes(secret))).toEqual([]);
    const masked = { stdout: '***', named: { '***': [{ 'a ***': 1 }] } };
    expect(workspace.state()['output']).toEqual(masked);
  });

  it.each([
    ['returns', 'return { token: process.env.MY_TOKEN };', 0],
    ['throws', 'throw new Error(`cannot use ${process.env.MY_TOKEN}`);', 1],
    ['asks', "await ctx.approve('Go', { message: process.env.MY_TOKEN, choices: ['yes'] });", 3],
    [
      'goes through',
      "await ctx.each('All', [process.env.MY_TOKEN], (ctx, item) => ctx.do('Work', () => item));",
      0,
    ],
    ['logs', 'ctx.log(process.env.MY_TOKEN);', 0],
    ['emits', "await ctx.do('Work', ({ emit }) => emit(`with ${process.env.MY_TOKEN}`));", 0],
  ])('keeps secrets out of every file and message if the program %s them', async (_, body, exitCode) => {
    const secret = 'correct-horse-battery';
    const workspace = codeWorkspace(`
await ctx.command('First', ['true'], { secrets: ['MY_TOKEN'] });
${body}`);
    const ended = await workspace.run(['run', 'w.workflow.mjs'], { env: { MY_TOKEN: secret } });
    expect(ended).toMatchObject({ exitCode });
    expect(ended.stdout + ended.stderr).not.toContain(secret);
    const files = workspace
      .list('.orchestrate')
      .map((name) => path.join(workspace.folder, '.orchestrate', name))
      .filter((name) => fs.statSync(name).isFile());
    expect(files.filter((name) => fs.readFileSync(name, 'utf8').includes(secret))).toEqual([]);
  });

  it('records agents with --record, and replays them with --replay', async () => {
    const workspace = codeWorkspace(`
const { text } = await ctx.agent('Ask', { agent: 'helper', prompt: 'Say something' });
return { text };`);
    expect(await workspace.run(['run', 'w.workflow.mjs', '--record'])).toMatchObject({ exitCode: 0 });
    const said = workspace.state()['output'];
    const replayed = await workspace.run(['run', 'w.workflow.mjs', '--replay', 'last']);
    expect(replayed, replayed.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual(said);
  });
});

describe('`check --against`', () => {
  const body = (word: string) => `
await ctx.command('Say', ['echo', '${word}']);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });`;

  it('compares with a run, and with journals kept in a folder', async () => {
    const workspace = codeWorkspace(body('one'));
    await workspace.run(['run', 'w.workflow.mjs']);
    const [runId = ''] = workspace.runs();
    const fits = await workspace.run(['check', 'w.workflow.mjs', '--against', 'last']);
    expect(fits).toMatchObject({ exitCode: 0, stdout: `w.workflow.mjs: fits run ${runId}\n` });
    workspace.write({
      'kept/one.jsonl': fs.readFileSync(path.join(workspace.runFolder(), 'journal.jsonl'), 'utf8'),
    });
    workspace.write({ 'w.workflow.mjs': workflowText(body('two')) });
    for (const against of ['last', 'kept']) {
      const other = await workspace.run(['check', 'w.workflow.mjs', '--against', against]);
      expect(other).toMatchObject({ exitCode: 1 });
      expect(other.stderr).toContain(
        `w.workflow.mjs does not fit run ${runId}\n  Say  asked for something else\n`,
      );
    }
    workspace.remove('kept/one.jsonl');
    expect(await workspace.run(['check', 'w.workflow.mjs', '--against', 'kept'])).toMatchObject({
      exitCode: 2,
    });
  });

  it('`validate` warns of what differs in every replay, with its place', async () => {
    const workspace = codeWorkspace('await ctx.command("Say", ["echo", String(Date.now())]);');
    const validated = await workspace.run(['validate', 'w.workflow.mjs']);
    expect(validated).toMatchObject({ exitCode: 0 });
    expect(validated.stderr).toContain(
      'warning[module/not-repeatable]: `Date.now()` gives another value when the run is resumed',
    );
    expect(validated.stderr).toContain('--> w.workflow.mjs:8:');
    expect(validated.stderr).toContain('help: use `await ctx.now(name)`');
  });
});
