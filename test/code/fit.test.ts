/** A program that changed while its run was stopped: what is recorded must fit, or nothing happens. */
import { describe, expect, it } from 'vitest';
import { until, type Workspace } from '../rig/orchestrate.ts';
import { codeWorkspace, workflowText } from './workflows.ts';

const BODY = `
const { stdout } = await ctx.command('First', ['echo', 'one']);
await ctx.each('Review', ['a', 'b'], async (ctx, item) => {
  await ctx.agent('Ask', { agent: 'helper', prompt: \`Review \${item} \${stdout}\` });
});
await ctx.do('Count', () => 2);
await ctx.approve('Release', { message: 'Release?', choices: ['yes', 'no'] });
await ctx.command('Last', ['echo', 'end']);
return { stdout };`;

async function waiting(): Promise<Workspace> {
  const workspace = codeWorkspace(BODY);
  expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 3 });
  return workspace;
}

const written = (workspace: Workspace) =>
  workspace.list('.orchestrate').map((name) => {
    try {
      return [name, workspace.read(`.orchestrate/${name}`)];
    } catch {
      return [name];
    }
  });

const journalOf = (workspace: Workspace): string => {
  const [runId = ''] = workspace.runs();
  const journal = `.orchestrate/runs/${runId}/journal.jsonl`;
  return workspace.has(journal) ? workspace.read(journal) : '';
};

describe('`resume` of a changed program', () => {
  it.each([
    [
      'another prompt',
      ['Review ${item}', 'Look at ${item}'],
      'Review/0/Ask  asked for something else\n  - prompt: Review a one\n  + prompt: Look at a one\n  at w.workflow.mjs:',
    ],
    [
      'another argument',
      ["'one'", "'two'"],
      'First  asked for something else\n  - argv: echo one\n  + argv: echo two\n',
    ],
    [
      'another name',
      ["'First'", "'Start'"],
      'First  is recorded, but the program no longer asks for it\n  the program asks for `Start` first\n',
    ],
    [
      'a call less',
      [BODY.split('\n')[5] ?? '', ''],
      'Count  is recorded, but the program no longer asks for it',
    ],
    [
      'fewer items',
      ["['a', 'b']", "['a']"],
      'Review/1/Ask  is recorded, but the program no longer asks for it',
    ],
    [
      'another name in a branch',
      ["'Ask'", "'Look'"],
      'Review/0/Ask  is recorded, but the program no longer asks for it\n  the program asks for `Review/0/Look` first\n  at w.workflow.mjs:',
    ],
    [
      'more items than there were',
      ["['a', 'b']", "['a', 'b', 'c']"],
      'Count  is recorded, but the program no longer asks for it\n  the program asks for `Review/2/Ask` first\n  at w.workflow.mjs:',
    ],
    [
      'a step that is a reading of the clock now',
      ["ctx.do('Count', () => 2)", "ctx.now('Count')"],
      'Count  is recorded, but the program no longer asks for it\n  the program makes another kind of call there\n  at w.workflow.mjs:',
    ],
  ])('exits with 2, names the call and writes nothing: %s', async (_, [from = '', to = ''], message) => {
    const workspace = await waiting();
    workspace.write({ 'w.workflow.mjs': workflowText(BODY.replace(from, to)) });
    const before = written(workspace);
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 2 });
    const [runId = ''] = workspace.runs();
    expect(ended.stderr).toContain(`error: w.workflow.mjs does not fit run ${runId}\n  ${message}`);
    expect(ended.stderr).toContain(
      `help: \`orchestrate resume ${runId} --accept-changes\` keeps the recorded answers; \`orchestrate resume ${runId} --as-started\` resumes`,
    );
    expect(written(workspace)).toEqual(before);
  });

  it.each([
    [
      'another kind of call',
      ["ctx.do('Count', () => 2)", "ctx.command('Count', ['true'])"],
      [
        '  Count  is another kind of call now\n  - run-function\n  + run-command\n',
        '`orchestrate resume <run> --as-started` resumes the program as it was; `orchestrate fork <run> --from Count` runs it again from there\n',
      ],
    ],
    [
      'an error',
      ['const { stdout }', "throw new Error('no');\nconst { stdout }"],
      [
        '  First  was not reached: the program threw an error\n  Error: no\n',
        'correct the program; `orchestrate resume <run> --as-started` resumes the program as it was\n',
      ],
    ],
  ])(
    'exits with 2, and offers only what helps, if answers cannot be kept: %s',
    async (_, [from = '', to = ''], [message = '', help]) => {
      const workspace = await waiting();
      workspace.write({ 'w.workflow.mjs': workflowText(BODY.replace(from, to)) });
      const before = written(workspace);
      const [runId = ''] = workspace.runs();
      for (const options of [[], ['--accept-changes']]) {
        const ended = await workspace.run(['resume', 'last', ...options]);
        expect(ended).toMatchObject({ exitCode: 2 });
        expect(ended.stderr).toContain(`error: w.workflow.mjs does not fit run ${runId}\n${message}`);
        expect(ended.stderr.replaceAll(runId, '<run>')).toContain(`\nhelp: ${help}`);
      }
      expect(written(workspace)).toEqual(before);
    },
  );

  it.each([
    ['new', "await ctx.command('New', ['true']);\nawait ctx.command('B', ['true']);"],
    ['gone', ''],
    ['another kind of call', "await ctx.now('B');"],
  ])('is accepted once, and then resumed and checked as it is: a call that is %s', async (_, call) => {
    const body = (second: string) => `
await ctx.command('A', ['sh', '-c', 'echo x >> counts-A']);
${second}
await ctx.command('C', ['sh', '-c', 'echo x >> counts-C']);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });
await ctx.approve('Last', { message: 'Last?', choices: ['yes'] });`;
    const workspace = codeWorkspace(body("await ctx.command('B', ['true']);"));
    await workspace.run(['run', 'w.workflow.mjs']);
    workspace.write({ 'w.workflow.mjs': workflowText(body(call)) });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 2 });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 3 });
    await workspace.run(['approve', 'last', 'Go', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(await workspace.run(['check', 'w.workflow.mjs', '--against', 'last'])).toMatchObject({
      exitCode: 0,
    });
    // What changes after that is compared again.
    workspace.write({ 'w.workflow.mjs': workflowText(body(call).replace("'C'", "'D'")) });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 2 });
    expect([workspace.read('counts-A'), workspace.read('counts-C')]).toEqual(['x\n', 'x\n']);
  });

  it('finds another item of `each`, whose functions have no input of their own', async () => {
    const body = (items: string) => `
return ctx.each('Outer', ${items}, (ctx) =>
  ctx.each('Inner', [1, 2], async (ctx) => {
    await ctx.do('Work', () => 'done');
    await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });
  }));`;
    const workspace = codeWorkspace(body("['a', 'b']"));
    expect(await workspace.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 3 });
    // More items at the end are not recorded yet.
    workspace.write({ 'w.workflow.mjs': workflowText(body("['a', 'b', 'c']")) });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    workspace.write({ 'w.workflow.mjs': workflowText(body("['b', 'a']")) });
    const before = written(workspace);
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain('  Outer/0/Inner/0/Work  asked for something else\n');
    expect(written(workspace)).toEqual(before);
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 3 });
  });

  const asking = (message: string, choices: string) => `
const answer = await ctx.approve('Release', { message: '${message}', choices: ${choices} });
await ctx.approve('Last', { message: 'Last?', choices: ['yes'] });
return answer;`;

  it('takes an answer for the question that was asked, and no other', async () => {
    const workspace = codeWorkspace(asking('Release 3 files?', "['yes', 'no']"));
    await workspace.run(['run', 'w.workflow.mjs']);
    await workspace.run(['approve', 'last', 'Release', '--choose', 'yes']);
    const other = workflowText(asking('Delete the database?', "['ship', 'no']"));
    for (const isTaken of [false, true]) {
      if (isTaken) expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
      workspace.write({ 'w.workflow.mjs': other });
      const before = written(workspace);
      const ended = await workspace.run(['resume', 'last']);
      expect(ended).toMatchObject({ exitCode: 2 });
      expect(ended.stderr).toContain(
        '  Release  asked for something else\n  - message: Release 3 files?\n  + message: Delete the database?\n  - choices: yes no\n  + choices: ship no\n  at w.workflow.mjs:8:',
      );
      expect(written(workspace)).toEqual(before);
      workspace.write({ 'w.workflow.mjs': workflowText(asking('Release 3 files?', "['yes', 'no']")) });
    }
    workspace.write({ 'w.workflow.mjs': other });
    await workspace.run(['approve', 'last', 'Last', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toBe('yes');
  });

  it.each([
    ['has no answer', undefined, ['resume', 'last']],
    ['has one that is no longer a choice', 'yes', ['resume', 'last', '--accept-changes']],
  ])('asks a changed question again if it %s', async (_, answer, command) => {
    const workspace = codeWorkspace(asking('Release 3 files?', "['yes', 'no']"));
    await workspace.run(['run', 'w.workflow.mjs']);
    if (answer !== undefined) await workspace.run(['approve', 'last', 'Release', '--choose', answer]);
    workspace.write({ 'w.workflow.mjs': workflowText(asking('Delete the database?', "['ship', 'no']")) });
    const ended = await workspace.run(command);
    expect(ended).toMatchObject({ exitCode: 3 });
    expect(ended.stderr).toContain('  Release: Delete the database?\n');
    expect(await workspace.run(['approve', 'last', 'Release', '--choose', 'yes'])).toMatchObject({
      exitCode: 2,
    });
    await workspace.run(['approve', 'last', 'Release', '--choose', 'ship']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(workspace.step('Release').output).toBe('ship');
  });

  it('takes a limit or a pause for no part of what was asked, and a pause that has begun as it is now', async () => {
    const body = (limit: string, pause: string) => `
await ctx.command('First', ['echo', 'one'], { timeout: '${limit}' });
await ctx.sleep('Pause', '${pause}');
return 'done';`;
    const workspace = codeWorkspace(body('1m', '1d'));
    const run = workspace.start(['run', 'w.workflow.mjs']);
    await until(() => journalOf(workspace).includes('"sleep-started"'));
    run.child.kill('SIGINT');
    await run.ended;
    workspace.write({ 'w.workflow.mjs': workflowText(body('2m', '1ms')) });
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain('what is done fits');
  });

  it('finds calls in another order', async () => {
    const workspace = codeWorkspace(`
await ctx.command('A', ['echo', 'a']);
await ctx.command('B', ['echo', 'b']);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });`);
    await workspace.run(['run', 'w.workflow.mjs']);
    workspace.write({
      'w.workflow.mjs': workflowText(`
await ctx.command('B', ['echo', 'b']);
await ctx.command('A', ['echo', 'a']);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });`),
    });
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain(
      '  A  comes in another order\n  the program asks for `B` first\n  at w.workflow.mjs:8:',
    );
  });

  it('finds what differs from one process to the next, although no file changed', async () => {
    const workspace = codeWorkspace(`
await ctx.command('Stamp', ['echo', String(process.pid)]);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });`);
    await workspace.run(['run', 'w.workflow.mjs']);
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain('Stamp  asked for something else');
  });

  it('continues if only what is not recorded yet has changed, and says so', async () => {
    const workspace = await waiting();
    workspace.write({ 'w.workflow.mjs': workflowText(BODY.replace("'end'", "'other'")) });
    await workspace.run(['approve', 'last', 'Release', '--choose', 'yes']);
    const ended = await workspace.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain('`w.workflow.mjs` has changed; what is done fits');
    expect(workspace.step('Last').output).toBe('other\n');
  });

  it('keeps the recorded answers with --accept-changes, also when it is resumed again', async () => {
    const workspace = await waiting();
    workspace.write({
      'w.workflow.mjs': workflowText(
        BODY.replace("'one'", "'two'")
          .replace("'end'", "'test', '-e', 'there'")
          .replace("['echo', 'test'", "['test'"),
      ),
    });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 3 });
    await workspace.run(['approve', 'last', 'Release', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    workspace.write({ there: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ stdout: 'one' });
  });

  it('continues with the files as they were with --as-started, also those it imports', async () => {
    const body = (word: string) => ({
      'w.workflow.mjs': workflowText(`
await ctx.command('First', ['echo', word]);
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });
return word;`).replace(
        "import fs from 'node:fs';",
        "import fs from 'node:fs';\nimport { word } from './parts/word.mjs';",
      ),
      'parts/word.mjs': `export const word = '${word}';\n`,
    });
    const workspace = codeWorkspace('', body('one'));
    await workspace.run(['run', 'w.workflow.mjs']);
    workspace.write(body('two'));
    const refused = await workspace.run(['resume', 'last']);
    expect(refused).toMatchObject({ exitCode: 2 });
    await workspace.run(['approve', 'last', 'Go', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last', '--as-started'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toBe('one');
  });

  it('answers `version` with the number of the first asking', async () => {
    const body = (newest: number) => `
const version = await ctx.version('lint', ${newest});
await ctx.approve('Go', { message: 'Go?', choices: ['yes'] });
return version;`;
    const workspace = codeWorkspace(body(1));
    await workspace.run(['run', 'w.workflow.mjs']);
    workspace.write({ 'w.workflow.mjs': workflowText(body(2)) });
    await workspace.run(['approve', 'last', 'Go', '--choose', 'yes']);
    await workspace.run(['resume', 'last']);
    expect(workspace.state()['output']).toBe(1);
  });
});
