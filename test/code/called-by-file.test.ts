/** A workflow file that calls a workflow in code: one run, one journal, one budget. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { codeWorkspace, LIST, REVIEW, REVIEWED, workflowText } from './workflows.ts';

const SHIP = `name: ship
context: {word: hello}
steps:
  - name: Before
    command: [bash, -c, "echo x >> counts-Before"]
  - name: Review
    call: {program: w.workflow.mjs, input: {word: "\${context.word}"}}
  - name: After
    command: [bash, -c, "echo x >> counts-After; echo \${steps.Review.json.said}"]
`;

const ASKS = `
const { stdout } = await ctx.command('Say', ['echo', input.word]);
const { text } = await ctx.agent('Ask', { agent: 'helper', prompt: \`Repeat \${stdout}\` });
await ctx.approve('Go', { message: 'Go?', choices: ['yes', 'no'] });
return { said: stdout, length: text.length };`;

function shipping(body: string, file = SHIP, files: { readonly [path: string]: string } = {}): Workspace {
  return codeWorkspace(body, { 'ship.yaml': file, ...files });
}

async function waiting(): Promise<Workspace> {
  const workspace = shipping(ASKS);
  const ended = await workspace.run(['run', 'ship.yaml']);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 3 });
  return workspace;
}

async function answered(workspace: Workspace, args: readonly string[] = []) {
  await workspace.run(['approve', 'last', 'Review/Go', '--choose', 'yes']);
  return workspace.run(['resume', 'last', ...args]);
}

const written = (workspace: Workspace) =>
  workspace
    .list('.orchestrate')
    .map((name) => path.join(workspace.folder, '.orchestrate', name))
    .filter((name) => fs.statSync(name).isFile())
    .map((name) => [name, fs.readFileSync(name, 'utf8')]);

describe('`call: {program: …}`', () => {
  it('runs the program as a step, whose output later steps read as its json', async () => {
    const workspace = await waiting();
    const resumed = await answered(workspace);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    const { stdout } = await workspace.run(['logs', 'last', 'After']);
    expect(stdout).toBe('hello\n');
    expect(workspace.state().steps['Review']).toMatchObject({
      status: 'completed',
      json: { said: 'hello' },
    });
    const shown = await workspace.run(['show', 'last']);
    const lines = shown.stdout.split('\n').map((line) => line.replace(/(?<=\S) {2,}.*$/, ''));
    expect(lines.filter((line) => /^\s*✓/.test(line))).toEqual([
      '✓ Before',
      '✓ Review',
      '  ✓ Say',
      '  ✓ Ask',
      '  ✓ Go',
      '✓ After',
    ]);
  });

  it('ends as if nothing had happened when it is killed after any record', { timeout: 600_000 }, async () => {
    const file = SHIP.replace('${steps.Review.json.said}', '${steps.Review.json.stdout}');
    const fresh = () => shipping(REVIEW, file, LIST);
    const whole = fresh();
    expect(await whole.run(['run', 'ship.yaml'])).toMatchObject({ exitCode: 0 });
    const records = whole.journal().length;
    expect(records).toBeGreaterThan(35);
    for (let line = 2; line < records; line += 1) {
      const workspace = fresh();
      const env = killAt({ when: 'after', kind: 'write', file: 'journal.jsonl', number: line });
      const killed = await workspace.run(['run', 'ship.yaml'], { env });
      if (killed.signal !== 'SIGKILL') continue;
      const last = workspace.journal().at(-1) as { readonly type: string; readonly key?: string };
      const resumed = await workspace.run(['resume', 'last']);
      expect(resumed, `line ${line}: ${resumed.stderr}`).toMatchObject({ exitCode: 0 });
      expect(workspace.state().steps['Review'], `line ${line}`).toMatchObject({ json: REVIEWED });
      for (const name of ['Before', 'Changes', 'Publish', 'After'])
        expect(
          workspace.read(`counts-${name}`).length / 2,
          `${name} after a kill at line ${line}, ${last.type} ${last.key}`,
        ).toBeLessThanOrEqual(isOpen(workspace, name) ? 2 : 1);
    }
  });

  it('retries only what failed', async () => {
    const workspace = shipping(`
await ctx.command('Once', ['bash', '-c', 'echo x >> counts-Once']);
await ctx.command('Door', ['test', '-e', 'key.txt']);
return { said: 'in' };`);
    const failed = await workspace.run(['run', 'ship.yaml']);
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(workspace.state().steps['Review']).toMatchObject({ status: 'failed' });
    workspace.write({ 'key.txt': '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(['Before', 'Once', 'After'].map((name) => workspace.read(`counts-${name}`))).toEqual([
      'x\n',
      'x\n',
      'x\n',
    ]);
  });

  it('shows a mistake of the program with its place; corrected, it continues', async () => {
    const workspace = shipping(`
await ctx.command('Once', ['bash', '-c', 'echo x >> counts-Once']);
throw new TypeError('a mistake');`);
    const failed = await workspace.run(['run', 'ship.yaml']);
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain('TypeError: a mistake');
    expect(failed.stderr).toContain('w.workflow.mjs:9');
    workspace.write({
      'w.workflow.mjs': workflowText(`
await ctx.command('Once', ['bash', '-c', 'echo x >> counts-Once']);
return { said: 'fixed' };`),
    });
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(resumed.stderr).toContain('`w.workflow.mjs` has changed; what is done fits');
    expect(workspace.read('counts-Once')).toBe('x\n');
  });

  it('is not resumed if the program no longer fits, until the change is accepted', async () => {
    const workspace = await waiting();
    workspace.write({ 'w.workflow.mjs': workflowText(ASKS.replace('Repeat', 'Say')) });
    const before = written(workspace);
    const refused = await workspace.run(['resume', 'last']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain(
      'Review/Ask  asked for something else\n  - prompt: Repeat hello\n  + prompt: Say hello\n  at w.workflow.mjs:9:',
    );
    expect(written(workspace)).toEqual(before);
    const resumed = await answered(workspace, ['--accept-changes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(resumed.stderr).toContain('`w.workflow.mjs` has changed; recorded answers are kept');
  });

  it('continues with the program as it was, with --as-started', async () => {
    const workspace = await waiting();
    workspace.write({ 'w.workflow.mjs': workflowText(`return { said: 'other' };`) });
    const resumed = await answered(workspace, ['--as-started']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Review']).toMatchObject({ json: { said: 'hello' } });
  });

  it('is forked: what is before is reused, the program runs again', async () => {
    const workspace = await waiting();
    await answered(workspace);
    workspace.write({ 'w.workflow.mjs': workflowText(`return { said: 'again' };`) });
    const forked = await workspace.run(['fork', 'last', '--from', 'Review']);
    expect(forked, forked.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.read('counts-Before')).toBe('x\n');
    expect(workspace.state().steps['Review']).toMatchObject({ json: { said: 'again' } });
  });

  it('shares the budget of the workflow', async () => {
    const workspace = shipping(
      `for (const n of [1, 2, 3]) await ctx.agent('Ask', { agent: 'helper', prompt: String(n) });`,
      SHIP.replace('context:', 'budget: {tokens: 10}\ncontext:'),
    );
    const ended = await workspace.run(['run', 'ship.yaml']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('the budget of 10 tokens is used up');
    expect(workspace.state().totals.agent_calls).toBeLessThan(3);
  });

  it('records and replays its agents with the others', async () => {
    const workspace = shipping(`
const { text } = await ctx.agent('Ask', { agent: 'helper', prompt: 'Say something' });
return { said: text };`);
    expect(await workspace.run(['run', 'ship.yaml', '--record'])).toMatchObject({ exitCode: 0 });
    const { json } = workspace.state().steps['Review'] as { readonly json?: unknown };
    const replayed = await workspace.run(['run', 'ship.yaml', '--replay', 'last']);
    expect(replayed, replayed.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Review']).toMatchObject({ json });
  });

  it('keeps the secrets that only the program names out of every file', async () => {
    const secret = 'correct-horse-battery';
    const workspace = shipping(`
const { stdout } = await ctx.command('Show', ['bash', '-c', 'echo "$MY_TOKEN"'], { secrets: ['MY_TOKEN'] });
return { said: stdout };`);
    const ended = await workspace.run(['run', 'ship.yaml'], { env: { MY_TOKEN: secret } });
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(written(workspace).filter(([, text = '']) => text.includes(secret))).toEqual([]);
  });

  it('uses the agent that --agent names, which the workflow file declares', async () => {
    const workspace = shipping(
      `return { said: (await ctx.agent('Ask', { agent: 'helper', prompt: 'Hello' })).text };`,
      SHIP.replace(
        'steps:',
        'providers:\n  stand-in: {adapter: mock, script: {answer: from the stand-in}}\nsteps:',
      ),
    );
    const ended = await workspace.run(['run', 'ship.yaml', '--agent', 'stand-in']);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Review']).toMatchObject({ json: { said: 'from the stand-in' } });
  });

  it('is not run by a dry run', async () => {
    const workspace = shipping(`await ctx.do('Deed', () => fs.writeFileSync('deed', ''));`);
    const ended = await workspace.run(['run', 'ship.yaml', '--dry-run']);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toContain('dry run: would call `w.workflow.mjs` with the input {"word":"hello"}');
    expect(workspace.has('deed')).toBe(false);
  });

  it('is called by a workflow file that a workflow in code calls', async () => {
    const workspace = shipping(
      ASKS,
      SHIP.replace('name: ship\n', 'name: ship\noutputs: {said: "${steps.Review.json.said}"}\n'),
      {
        'outer.workflow.mjs': workflowText(
          `return ctx.call('Ship', 'ship.yaml', { context: { word: 'deep' } });`,
        ),
      },
    );
    expect(await workspace.run(['run', 'outer.workflow.mjs'])).toMatchObject({ exitCode: 3 });
    await workspace.run(['approve', 'last', 'Ship/Review/Go', '--choose', 'yes']);
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ said: 'deep' });
    expect(workspace.read('counts-Before')).toBe('x\n');
  });

  it('cleans up when another branch was first', async () => {
    const file = `name: race
steps:
  - name: Race
    parallel:
      join: any
      branches:
        - name: slow
          steps:
            - name: Slow
              call: {program: w.workflow.mjs}
        - name: quick
          steps:
            - name: Quick
              wait_for: {glob: begun}
`;
    const workspace = shipping(
      `
try {
  await ctx.command('Wait', ['bash', '-c', 'touch begun; exec sleep 600']);
} finally {
  await ctx.command('Tidy', ['touch', 'tidied']);
}`,
      file,
    );
    const ended = await workspace.run(['run', 'ship.yaml']);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.has('tidied')).toBe(true);
  });

  it('runs in `finally`, also after a failure', async () => {
    const file = `name: ends
steps:
  - name: Fails
    command: ["false"]
finally:
  - name: Tidy
    call: {program: w.workflow.mjs}
`;
    const workspace = shipping(`await ctx.command('Sweep', ['touch', 'swept']);`, file);
    expect(await workspace.run(['run', 'ship.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.has('swept')).toBe(true);
  });
});

describe('the input of a program', () => {
  const TYPED = `import { workflow } from 'orchestrate-run';
const wants = (name, type) => (given) =>
  typeof given[name] === type ? [] : [{ message: \`must be a \${type}\`, path: [name] }];
const validate = (given) => {
  const issues = [wants('count', 'number'), wants('base', 'string')].flatMap((check) => check(given));
  return issues.length === 0 ? { value: given } : { issues };
};
export default workflow({
  name: 'typed',
  input: { '~standard': { version: 1, vendor: 'own', validate } },
  run: async (ctx, { count }) => ({ twice: 2 * count }),
});
`;
  const typed = (input: string) => `context: {count: "21", base: main}
steps:
  - name: Typed
    call: {program: typed.workflow.mjs, input: ${input}}
`;

  it.each([
    ['{count: many, base: "${context.base}"}', 'count: must be a number', '4:56'],
    ['{count: 3}', 'base: must be a string', '4:41'],
  ])('%s does not fit, and the place is shown before anything runs', async (input, finding, place) => {
    const workspace = new Workspace({ 'typed.workflow.mjs': TYPED, 'w.yaml': typed(input) });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended).toMatchObject({ exitCode: 2 });
    expect(ended.stderr).toContain(
      `error[inputs/invalid]: step \`Typed\` calls \`typed.workflow.mjs\`, whose input does not fit: ${finding}\n --> w.yaml:${place}\n`,
    );
    expect(workspace.has('.orchestrate')).toBe(false);
  });

  it('that is known only when the step runs is read as the schema wants it, or fails the step', async () => {
    const input = '{count: "${context.count}", base: "${context.base}"}';
    const workspace = new Workspace({ 'typed.workflow.mjs': TYPED, 'w.yaml': typed(input) });
    const fits = await workspace.run(['run', 'w.yaml']);
    expect(fits, fits.stderr).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['Typed']).toMatchObject({ json: { twice: 42 } });
    const failed = await workspace.run(['run', 'w.yaml', '--context', 'count=many']);
    expect(failed).toMatchObject({ exitCode: 1 });
    expect(failed.stderr).toContain(
      'the input of `typed.workflow.mjs` does not fit: count: must be a number',
    );
  });
});

describe('`resume` of a workflow file whose settings have changed', () => {
  it('names the completed steps that would be asked something else, and keeps their results', async () => {
    const workspace = shipping(
      ASKS,
      SHIP.replace('"echo x >> counts-Before"', '"echo ${context.word} >> counts-Before"'),
    );
    expect(await workspace.run(['run', 'ship.yaml'])).toMatchObject({ exitCode: 3 });
    workspace.write({ 'ship.yaml': workspace.read('ship.yaml').replace('word: hello', 'word: bye') });
    const refused = await workspace.run(['resume', 'last']);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain(
      '  changed: settings outside the steps\n  would be asked something else: Before\n  would be asked something else: Review\n',
    );
    const resumed = await answered(workspace, ['--accept-changes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(resumed.stderr).toContain(
      '`Before`, `Review` would now be asked something else; their results are kept\n',
    );
    expect(workspace.read('counts-Before')).toBe('hello\n');
  });

  it('is accepted once with a call that is new, and then resumed as it is', async () => {
    const workspace = await waiting();
    const changed = ASKS.replace('const { text }', "await ctx.command('New', ['true']);\nconst { text }");
    workspace.write({ 'w.workflow.mjs': workflowText(changed) });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 3 });
    expect(await answered(workspace)).toMatchObject({ exitCode: 0 });
  });
});

function isOpen(workspace: Workspace, name: string): boolean {
  const repeated = workspace.journal() as readonly { type: string; key?: string; again?: string }[];
  return repeated.some(({ type, key, again }) => {
    const own = key?.split('/').at(-1);
    return type === 'step-started' && own === name && again === 'repeated';
  });
}
