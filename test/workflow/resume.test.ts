import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, until, Workspace } from '../rig/orchestrate.ts';

const yaml = (parts: { first?: string; second?: string; added?: string } = {}) => `context: {a: "1"}
steps:
  - {name: First, command: [bash, -c, "echo x >> first${parts.first ?? ''}"]}
  - name: Loop
    for_each:
      items: [p, q]
      steps:
        - {name: Inner, command: [bash, -c, "echo x >> inner"]}
  - {name: Second, command: [bash, -c, "${parts.second ?? 'exit 4'}"]}
${parts.added ?? ''}`;

describe('`resume`', () => {
  it('of a failed run retries the failed step and takes the rest from the journal', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml({ second: 'test -e fixed' }) });
    expect(await workspace.run(['run', 'w.yaml', '--context', 'a=2'])).toMatchObject({ exitCode: 1 });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    workspace.write({ fixed: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect([countOf(workspace, 'first'), countOf(workspace, 'inner')]).toEqual([1, 2]);
    expect(workspace.runs()).toHaveLength(1);
    expect(workspace.state()).toMatchObject({ status: 'completed', context: { a: '2' } });
    expect(workspace.step('Second')).toMatchObject({ status: 'completed', exit_code: 0 });
    expect(workspace.step('Second')).not.toHaveProperty('error');
  });

  it('of a completed run does nothing and says so', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml({ second: 'true' }) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const before = fs.readFileSync(path.join(workspace.runFolder(), 'journal.jsonl'));
    const ended = await workspace.run(['resume', 'last']);
    expect([ended.exitCode, ended.stderr]).toEqual([
      0,
      `run \`${workspace.runs()[0]}\` is already completed: nothing to do\n`,
    ]);
    expect(fs.readFileSync(path.join(workspace.runFolder(), 'journal.jsonl'))).toEqual(before);
  });

  it('with a changed workflow is rejected with the list of changes', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml']);
    const [runId] = workspace.runs();
    workspace.write({
      'w.yaml': yaml({ second: 'exit 0', added: '  - {name: New, command: ["true"]}\n' }).replace(
        'a: "1"',
        'a: "3"',
      ),
    });
    const refused = await workspace.run(['resume', 'last']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      `error: \`w.yaml\` has changed since run \`${runId}\` was started
  changed: Second
  added: New
  changed: settings outside the steps
help: \`orchestrate resume ${runId} --accept-changes\` resumes with the new version
`,
    ]);
    expect(workspace.journal().at(-1)?.type).toBe('run-ended');

    // The failed step may change; the run keeps the context it was started with.
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect([countOf(workspace, 'first'), countOf(workspace, 'inner')]).toEqual([1, 2]);
    expect(workspace.step('New').status).toBe('completed');
    expect(workspace.state()['workflow_checksum']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('rejects a change or removal of a completed step, also inside a loop', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml']);
    for (const [changed, name] of [
      [yaml({ first: '-changed' }), 'First'],
      [yaml().replace('>> inner', '>> other'), 'Inner'],
      [yaml().replace('[p, q]', '[p, q, r]'), 'Loop'],
      [yaml().replace(/ {2}- {name: First.*\n/, ''), 'First'],
    ] as const) {
      workspace.write({ 'w.yaml': changed });
      const refused = await workspace.run(['resume', 'last', '--accept-changes']);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`note: these steps already have results: ${name}\n`);
    }
    // A comment does not count as a change.
    workspace.write({ 'w.yaml': `# a comment\n${yaml()}` });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
  });

  describe('of a failed loop with `--accept-changes`', () => {
    const loop = (changes: Partial<typeof LOOP> = {}): string => {
      const { items, work, check, added, on, rest } = { ...LOOP, ...changes };
      return `steps:
  - name: Each
    for_each:
      items: ${items}
      on_item_failure: continue
      steps:
        - {name: Ask, command: [bash, -c, "echo \${item} >> asked${work}"]}
        - {name: Check, command: [bash, -c, "echo \${item} >> ${check}; test -e good-\${item}"]}
${added}    on: ${on}
${rest}`;
    };
    const LOOP = {
      items: '[a, b, c, d]',
      work: '',
      check: 'checked',
      added: '',
      on: '{}',
      rest: '  - {name: Rest, command: ["true"]}\n',
    };

    const failed = async (): Promise<Workspace> => {
      const good = Object.fromEntries(['a', 'b', 'd'].map((item) => [`good-${item}`, '']));
      const workspace = new Workspace({ 'w.yaml': loop(), ...good });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
      expect(workspace.state().for_each['Each']?.completed_indices).toEqual([0, 1, 3]);
      return workspace;
    };

    it('takes another `on` and another step in the place of the failed one; completed items stay as they ran', async () => {
      const workspace = await failed();
      const added = '        - {name: Report, command: [bash, -c, "echo ${item} >> reported"]}\n';
      workspace.write({
        'w.yaml': loop({ check: 'other', added, on: '{success: {goto: _end}}' }),
        'good-c': '',
      });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 2 });
      expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
      expect([workspace.read('asked'), workspace.read('checked')]).toEqual(['a\nb\nc\nd\n', 'a\nb\nc\nd\n']);
      expect([workspace.read('other'), workspace.read('reported')]).toEqual(['c\n', 'c\n']);
      expect(workspace.state().for_each['Each']).toMatchObject({ completed_indices: [0, 1, 3, 2] });
      expect(workspace.state().steps).not.toHaveProperty('Rest');
    });

    it('is resumed a second time with a third version, each item as it ran', async () => {
      const workspace = await failed();
      workspace.write({ 'w.yaml': loop({ items: '[a, b, c, d, e]', check: 'second' }), 'good-e': '' });
      expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 1 });
      workspace.write({ 'w.yaml': loop({ items: '[a, b, c, d, e]', check: 'third' }), 'good-c': '' });
      expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
      expect(['checked', 'second', 'third'].map((name) => workspace.read(name))).toEqual([
        'a\nb\nc\nd\n',
        'c\ne\n',
        'c\n',
      ]);
    });

    it.each([
      ['a completed step of the failed item', { work: '-changed' }, 'Ask'],
      ['the value of a completed item', { items: '[a, x, c, d]' }, 'Each'],
    ])('rejects a change of %s, with the list', async (_, change, name) => {
      const workspace = await failed();
      workspace.write({ 'w.yaml': loop(change) });
      const refused = await workspace.run(['resume', 'last', '--accept-changes']);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`note: these steps already have results: ${name}\n`);
    });
  });

  it('takes another `on.failure` of a completed step, but not another `on.success`', async () => {
    const steps = (on: string): string => `steps:
  - {name: A, command: ["true"], on: ${on}}
  - {name: B, command: [test, -e, go]}
`;
    const workspace = new Workspace({ 'w.yaml': steps('{}') });
    await workspace.run(['run', 'w.yaml']);
    workspace.write({ 'w.yaml': steps('{success: {goto: _end}}'), go: '' });
    const refused = await workspace.run(['resume', 'last', '--accept-changes']);
    expect(refused.stderr).toContain('note: these steps already have results: A\n');
    workspace.write({ 'w.yaml': steps('{failure: {goto: _end}}') });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
  });

  it('with reordered steps is rejected until the change is accepted', async () => {
    const step = (name: string, script: string) => `  - {name: ${name}, command: [sh, -c, "${script}"]}\n`;
    const [a, b, c] = [step('A', 'echo A >> done'), step('B', 'test -e go'), step('C', 'echo C >> done')];
    const workspace = new Workspace({ 'w.yaml': `steps:\n${a}${b}${c}` });
    await workspace.run(['run', 'w.yaml']);
    workspace.write({ 'w.yaml': `steps:\n${c}${b}${a}`, go: '' });
    const refused = await workspace.run(['resume', 'last']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      `error: \`w.yaml\` has changed since run \`${workspace.runs()[0]}\` was started
  changed: the order of the steps
help: \`orchestrate resume ${workspace.runs()[0]} --accept-changes\` resumes with the new version
`,
    ]);
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('done')).toBe('A\nC\n');
  });

  it('with `--force-restart` starts a new run with the same input and keeps the old one', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    await workspace.run(['run', 'w.yaml', '--context', 'a=9']);
    const [first = ''] = workspace.runs();
    const before = fs.readFileSync(path.join(workspace.runFolder(first), 'journal.jsonl'));
    expect(await workspace.run(['resume', first, '--force-restart'])).toMatchObject({ exitCode: 1 });
    expect(workspace.runs()).toHaveLength(2);
    expect(countOf(workspace, 'first')).toBe(2);
    expect(workspace.state()['context']).toEqual({ a: '9' });
    expect(fs.readFileSync(path.join(workspace.runFolder(first), 'journal.jsonl'))).toEqual(before);
  });

  it('with `--force-restart` ends with the figures of the new run alone', async () => {
    const workspace = new Workspace({
      'flow.yaml': `providers: {paid: {adapter: mock, script: {answer: ok, cost_usd: 0.5}}}
steps:
  - {name: Pay, provider: paid, prompt: hello}
  - {name: Fail, command: [sh, -c, "test -e fixed"]}
`,
    });
    expect((await workspace.run(['run', 'flow.yaml'])).exitCode).toBe(1);
    workspace.write({ fixed: '' });
    const { stderr } = await workspace.run(['resume', 'last', '--force-restart']);
    expect(stderr).toMatch(/\n✓ completed {2}2 steps {2}\S+ m?s {2}\$0\.5000\n$/);
  });

  it('with `--force-restart` is rejected for a run that is not a workflow, which does not change', async () => {
    const workspace = new Workspace({});
    await workspace.run(['converse', 'init', 'talk', '--template', 'mock']);
    await workspace.run(['converse', 'run', 'talk', '-q']);
    const [first = ''] = workspace.runs();
    const before = workspace.journal();
    expect(await workspace.run(['resume', first, '--force-restart'])).toMatchObject({
      exitCode: 2,
      stderr: `error: run \`${first}\` is of kind \`converse\`; only workflows can be restarted\nhelp: start a new run with the command that started this one\n`,
    });
    expect(workspace.runs()).toEqual([first]);
    expect(workspace.journal()).toEqual(before);
  });

  it('of a run held by another process is rejected with exit code 4 and the pid', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml({ second: 'while [ ! -e go ]; do sleep 0.02; done' }) });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () =>
        workspace.runs().length > 0 &&
        workspace.journal().some(({ type, key }) => type === 'process-started' && key === 'Second'),
    );
    const before = workspace.journal().length;
    const refused = await workspace.run(['resume', 'last']);
    const id = workspace.runs()[0];
    expect([refused.exitCode, refused.stderr]).toEqual([
      4,
      `error: run \`${id}\` is being run by process ${run.pid}\nhelp: \`orchestrate logs ${id} -f\` follows it, \`orchestrate cancel ${id}\` cancels it\n`,
    ]);
    expect(workspace.journal()).toHaveLength(before);
    workspace.write({ go: '' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
  });

  it('of an unknown run lists the existing ones', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml() });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 2 });
    await workspace.run(['run', 'w.yaml']);
    const ended = await workspace.run(['resume', '../../etc']);
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining('run `../../etc` not found')]);
  });

  it('of a run killed between a failure and the record of its end retries the failed step at once', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml({ second: 'test -e fixed' }) });
    await workspace.run(['run', 'w.yaml']);
    const journal = path.join(workspace.runFolder(), 'journal.jsonl');
    const lines = fs.readFileSync(journal, 'utf8').split('\n');
    expect(lines.at(-2)).toContain('run-ended');
    fs.writeFileSync(journal, `${lines.slice(0, -2).join('\n')}\n`);
    workspace.write({ fixed: '' });
    const ended = await workspace.run(['resume', 'last']);
    expect(ended.exitCode).toBe(0);
    // It shows only what it does now.
    expect(ended.stderr).not.toContain('✗');
    expect(ended.stderr.match(/^● resuming run/gm)).toHaveLength(1);
    expect([countOf(workspace, 'first'), countOf(workspace, 'inner')]).toEqual([1, 2]);
  });

  it('retries the failed step of a run that failed, was resumed and then killed', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: A, command: [bash, -c, "echo x >> a; test -e fixed-a"]}
  - {name: B, command: [bash, -c, "echo x >> b; while [ ! -e go ]; do sleep 0.02; done"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write({ 'fixed-a': '' });
    const resumed = workspace.start(['resume', 'last']);
    await until(() => workspace.has('b'));
    resumed.child.kill('SIGKILL');
    await resumed.ended;
    workspace.write({ go: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect([countOf(workspace, 'a'), countOf(workspace, 'b')]).toEqual([2, 2]);
    expect(workspace.step('B').repeated).toBe(true);
  });
});
