import { describe, expect, it } from 'vitest';
import { countOf, until, Workspace } from '../rig/orchestrate.ts';
import { refusingToBeRead } from '../rig/refusing.ts';

const asking = (rest = '') => `context: {version: "1.2"}
steps:
  - {name: Before, command: [bash, -c, "echo x >> before"]}
  - name: Release
    approve:
      message: "Release \${context.version}?"
      choices: ["yes", "no"]
${rest}  - name: After
    command: [printf, "%s|", "\${steps.Release.output}", "\${steps.Release.json.comment}", "\${steps.Release.json.by}", "\${steps.Release.json.expired}"]
`;

describe('`approve`', () => {
  it.each(['', '{"choice": "ye', '{"choice": "yez"}', '{"choice": 1}'])(
    'ignores a damaged or invalid answer (%j) and replaces it with a valid one',
    async (damaged) => {
      const workspace = new Workspace({ 'w.yaml': asking() });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
      const file = `.orchestrate/runs/${workspace.runs()[0]}/answers/Release.json`;
      workspace.write({ [file]: damaged });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
      const answer = ['approve', 'last', 'Release', '--choose', 'yes'];
      expect(await workspace.run(answer)).toMatchObject({ exitCode: 0 });
      expect(await workspace.run(answer)).toMatchObject({ exitCode: 2 });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    },
  );

  it('needs the name of a step only if several wait', async () => {
    const workspace = new Workspace({
      'one.yaml': asking(),
      'two.yaml': `steps:
  - name: Both
    parallel:
      branches:
        - { name: A, steps: [{ name: Left, approve: { message: "Left?", choices: [go] } }] }
        - { name: B, steps: [{ name: Right, approve: { message: "Right?", choices: [go] } }] }
`,
    });
    expect(await workspace.run(['run', 'one.yaml'])).toMatchObject({ exitCode: 3 });
    const [one = ''] = workspace.runs();
    expect(await workspace.run(['approve', 'last', '--choose', 'yes'])).toMatchObject({
      exitCode: 0,
      stderr: `Recorded \`yes\` for \`Release\`. Continue with: orchestrate resume ${one}\n`,
    });
    expect(await workspace.run(['run', 'two.yaml'])).toMatchObject({ exitCode: 3 });
    expect(await workspace.run(['approve', 'last', '--choose', 'go'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: 2 steps wait for an answer\nhelp: name one of Both/A/Left, Both/B/Right\n',
    });
  });

  it('is answered by the name of its step on every visit', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Plan, command: [bash, -c, "echo x >> planned"]}
  - {name: Check, approve: {message: "Good?", choices: [go, revise]}}
  - name: Revise
    when: {equals: {left: "\${steps.Check.output}", right: revise}}
    command: ["true"]
    on: {success: {goto: Plan}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    for (const [choice, exitCode] of [
      ['revise', 3],
      ['revise', 3],
      ['go', 0],
    ] as const) {
      const answer = ['approve', 'last', 'Check', '--choose', choice];
      expect(await workspace.run(answer)).toMatchObject({ exitCode: 0 });
      expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode });
    }
    expect(countOf(workspace, 'planned')).toBe(3);
  });

  it('ends the process with exit code 3 and status `waiting`; the answer is recorded, and resume continues the run', async () => {
    const workspace = new Workspace({ 'w.yaml': asking() });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect(workspace.state()).toMatchObject({
      status: 'waiting',
      waiting_for: { Release: { message: 'Release 1.2?', choices: ['yes', 'no'] } },
    });

    // Without an answer it keeps waiting, and can still be answered.
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(workspace.state()).toMatchObject({ status: 'waiting', waiting_for: { Release: {} } });

    const bad = await workspace.run(['approve', 'last', 'Release', '--choose', 'maybe']);
    expect([bad.exitCode, bad.stderr]).toEqual([
      2,
      'error: unknown choice `maybe` for `Release`\nhelp: choose one of yes, no\n',
    ]);
    const other = await workspace.run(['approve', 'last', 'Relaese', '--choose', 'yes']);
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('did you mean `Release`?')]);

    const flags = ['--choose', 'yes', '--comment', 'looks "good"', '--by', 'ann'];
    const answered = await workspace.run(['approve', 'last', 'Release', ...flags]);
    expect([answered.exitCode, answered.stderr]).toEqual([
      0,
      `Recorded \`yes\` for \`Release\`. Continue with: orchestrate resume ${workspace.runs()[0]}\n`,
    ]);
    const twice = await workspace.run(['approve', 'last', 'Release', '--choose', 'no']);
    expect([twice.exitCode, twice.stderr]).toEqual([2, 'error: `Release` has already been answered\n']);

    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Release')).toMatchObject({
      status: 'completed',
      output: 'yes',
      json: { choice: 'yes', comment: 'looks "good"', by: 'ann', expired: false },
    });
    expect(workspace.step('After').output).toBe('yes|looks "good"|ann|false|');
    expect(countOf(workspace, 'before')).toBe(1);
    expect(workspace.state()).not.toHaveProperty('waiting_for');
    const late = await workspace.run(['approve', 'last', 'Release', '--choose', 'no']);
    expect(late.exitCode).toBe(2);
  });

  it('keeps the answer it has if the disk refuses to read it', async () => {
    const workspace = new Workspace({ 'w.yaml': asking() });
    await workspace.run(['run', 'w.yaml']);
    await workspace.run(['approve', 'last', 'Release', '--choose', 'yes']);
    const second = await workspace.run(['approve', 'last', 'Release', '--choose', 'no'], {
      env: refusingToBeRead(workspace.folder, { kind: 'read', file: '/answers/', number: 1 }),
    });
    expect(second).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(EIO)') });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Release')).toMatchObject({ output: 'yes' });
  });

  it('uses its default if there is no answer in time', async () => {
    const workspace = new Workspace({ 'w.yaml': asking('      timeout_sec: 1\n      default: "no"\n') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    const expiry = Date.parse(workspace.state().waiting_for?.['Release']?.expires_at ?? '');
    await until(() => Date.now() > expiry);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('After').output).toBe('no|null|null|true|');
  });

  it('without a default fails with exit code 124 if there is no answer in time, and resume asks again', async () => {
    const workspace = new Workspace({ 'w.yaml': asking('      timeout_sec: 1\n') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    const expiry = Date.parse(workspace.state().waiting_for?.['Release']?.expires_at ?? '');
    await until(() => Date.now() > expiry);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Release')).toMatchObject({ exit_code: 124, outcome: 'no-answer' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(workspace.state().waiting_for).toHaveProperty('Release');
  });

  it('in a branch lets the others continue; an answer in the meantime is used at once', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    parallel:
      branches:
        - name: ask
          steps:
            - {name: Ask, approve: {message: "Continue?"}}
            - {name: Told, command: [bash, -c, "echo \\"$0\\" > told", "\${steps.Ask.output}"]}
        - name: work
          steps:
            - {name: Work, command: [bash, -c, "echo x >> work; while [ ! -e told ]; do sleep 0.02; done"]}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () => workspace.has('work') && workspace.journal().some(({ type }) => type === 'question-asked'),
    );
    const answered = await workspace.run(['approve', 'last', 'Ask', '--choose', 'approve']);
    expect(answered.stderr).toBe('Recorded `approve` for `Both/ask/Ask`. The run continues.\n');
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.read('told')).toBe('approve\n');
  });

  it('in a branch ends the process only when the other branches are done', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Both
    parallel:
      steps:
        - {name: Ask, approve: {message: "Continue?"}}
        - {name: Work, command: [bash, -c, "sleep 0.3; echo x >> work"]}
        - {name: Ask2, approve: {message: "And here?"}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect(countOf(workspace, 'work')).toBe(1);
    expect(Object.keys(workspace.state().waiting_for ?? {})).toEqual(['Both/Ask/Ask', 'Both/Ask2/Ask2']);
    await workspace.run(['approve', 'last', 'Ask', '--choose', 'approve']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 3 });
    expect(Object.keys(workspace.state().waiting_for ?? {})).toEqual(['Both/Ask2/Ask2']);
    await workspace.run(['approve', 'last', 'Both/Ask2/Ask2', '--choose', 'reject']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'work')).toBe(1);
  });
});
