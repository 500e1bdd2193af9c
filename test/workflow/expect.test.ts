import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';

/** An agent that claims to be done, writes what the script of its n-th call says, and records its prompts. */
const agent = `providers:
  worker:
    input_mode: stdin
    command:
      - bash
      - -c
      - |
        echo x >> calls; n=$(wc -l < calls); cat > asked-$n
        bash work-$n.sh 2> /dev/null || true
`;

describe('`expect`', () => {
  it('shows a step as completed only after its checks have passed', async () => {
    const workspace = new Workspace({
      'check.sh': "grep -c '✓ Proven' .orchestrate/runs/*/logs/orchestrator.log > seen || true\n",
      'w.yaml': `steps:
  - {name: Proven, command: ["true"], expect: {command: [bash, check.sh]}}
  - {name: Claimed, command: ["true"], expect: {files: [nothing.md]}}
`,
    });
    const { exitCode, stderr } = await workspace.run(['run', 'w.yaml']);
    expect(exitCode).toBe(1);
    expect(workspace.read('seen').trim()).toBe('0');
    expect(stderr).toContain('✓ Proven');
    expect(stderr).not.toContain('✓ Claimed');
    expect(stderr).toMatch(/· Claimed .*checks failed\n.*✗ Claimed .*no file matches `nothing.md`/);
  });

  it('of files, a schema and a command fails an unproven claim with exit code 3', async () => {
    const workspace = new Workspace({
      'schema.json': '{"type": "object", "required": ["ok"]}',
      'w.yaml': `strict_flow: false
steps:
  - {name: Files, command: [touch, out.md], expect: {files: ["out.md", "more/*.md"]}}
  - {name: Inline, command: [echo, '{"n": "3"}'], expect: {json_schema: {type: object, properties: {n: {type: number}}}}}
  - {name: FromFile, command: [echo, '{"n": 3}'], output_file: out.json, expect: {json_schema: schema.json}}
  - {name: NotJson, command: [echo, hello], expect: {json_schema: schema.json}}
  - {name: Command, command: ["true"], expect: {command: [bash, -c, "echo broken >&2; exit 7"]}}
  - {name: Several, command: ["true"], expect: {files: [nothing.md], command: ["false"]}}
  - {name: BadSchema, command: ["true"], expect: {json_schema: missing.json}}
  - {name: Failed, command: [bash, -c, "exit 5"], expect: {files: [nothing.md]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const reasons = (name: string) => {
      const { exit_code, outcome, error } = workspace.step(name);
      return [exit_code, outcome, error?.context?.['reasons']];
    };
    expect(reasons('Files')).toEqual([3, 'unproven', ['no file matches `more/*.md`']]);
    expect(reasons('Inline')).toEqual([3, 'unproven', [expect.stringMatching(/^`n`: .*number/)]]);
    expect(reasons('FromFile')).toEqual([3, 'unproven', [expect.stringContaining('ok')]]);
    expect(reasons('NotJson')).toEqual([3, 'unproven', ['the output is not JSON']]);
    expect(reasons('Command')).toEqual([
      ...[3, 'unproven'],
      ["`bash -c 'echo broken >&2; exit 7'` ended with exit code 7: broken"],
    ]);
    expect(reasons('Several')).toEqual([
      ...[3, 'unproven'],
      ['no file matches `nothing.md`', '`false` ended with exit code 1'],
    ]);
    expect(workspace.step('BadSchema')).toMatchObject({ exit_code: 2, outcome: 'invalid-output' });
    // The first cause counts: a failed step is not checked.
    expect(workspace.step('Failed')).toMatchObject({ exit_code: 5, outcome: 'exit-code' });
  });

  it('registers the checked files, and makes output that matches a schema available as JSON', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: X
    command: [bash, -c, "mkdir d; touch d/a.md d/b.md; echo '{\\"n\\": 3}'"]
    expect: {files: ["d/*.md"], json_schema: {type: object}, command: [test, -e, d/a.md]}
  - name: Y
    command: [echo, "\${steps.X.json.n} \${steps.X.output}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X')).toMatchObject({
      status: 'completed',
      exit_code: 0,
      artifacts: ['d/a.md', 'd/b.md'],
      json: { n: 3 },
    });
    expect(workspace.step('Y').output).toBe('3 {"n": 3}\n');
  });

  it('asks an agent again with the reasons, up to `reask` times', async () => {
    const workspace = new Workspace({
      'p.md': 'Write out.md.\n',
      'work-2.sh': 'echo done > out.md',
      'w.yaml': `${agent}steps:
  - {name: X, provider: worker, input_file: p.md, expect: {files: [out.md], reask: 1}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'calls')).toBe(2);
    expect(workspace.read('asked-1')).toBe('Write out.md.\n');
    expect(workspace.read('asked-2')).toBe(
      'Write out.md.\n\n\n---\nYour result was checked and rejected:\n- no file matches `out.md`\nFix this.\n',
    );
    expect(workspace.step('X')).toMatchObject({ status: 'completed', artifacts: ['out.md'] });
  });

  it('fails after the last `reask`, with the last reasons', async () => {
    const workspace = new Workspace({
      'p.md': 'Write out.md.\n',
      'w.yaml': `${agent}steps:
  - {name: X, provider: worker, input_file: p.md, expect: {files: [out.md], reask: 2}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(countOf(workspace, 'calls')).toBe(3);
    expect(workspace.step('X')).toMatchObject({
      exit_code: 3,
      outcome: 'unproven',
      error: { message: 'check failed: no file matches `out.md`' },
    });
  });

  it('checks a structured answer against its schema, and asks again if it does not match', async () => {
    const schema = '{type: object, required: [n], properties: {n: {type: integer}}}';
    const workspace = new Workspace({
      'p.md': 'Count.\n',
      'work-1.sh': 'echo "I think it is many."',
      'work-2.sh': `echo 'Here: {"n": 3}'`,
      'w.yaml': `${agent}  m: {adapter: mock}
steps:
  - {name: X, provider: worker, input_file: p.md, expect: {json_schema: ${schema}, reask: 1}}
  - {name: M, provider: m, input_file: p.md, expect: {json_schema: ${schema}}}
  - {name: Y, command: [echo, "\${steps.X.json.n}"]}
  - {name: Z, provider: worker, input_file: p.md, expect: {json_schema: ${schema}}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('X')).toMatchObject({ status: 'completed', json: { n: 3 } });
    expect(workspace.step('M')).toMatchObject({ status: 'completed', json: { n: expect.any(Number) } });
    expect(workspace.step('Y').output).toBe('3\n');
    expect(workspace.step('Z')).toMatchObject({ status: 'failed', exit_code: 3, outcome: 'unproven' });
  });
});
