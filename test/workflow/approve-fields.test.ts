import { describe, expect, it } from 'vitest';
import { onTerminal } from '../rig/answering.ts';
import { Workspace } from '../rig/orchestrate.ts';

const FORM = (rest = '') => `steps:
  - name: Plan
    approve:
      message: What is released?
${rest}      fields:
        - {name: version, description: The new version.}
        - {name: count, type: number, default: 3}
        - {name: level, choices: [minor, major]}
        - {name: notify, type: boolean, required: false}
        - {name: notes, type: file, required: false}
  - name: After
    command: [echo, "\${steps.Plan.json.version} \${steps.Plan.json.count} \${steps.Plan.json.level} \${steps.Plan.json.notify:-unset} \${steps.Plan.json.by:-nobody}"]
`;

const set = (...pairs: readonly string[]) => pairs.flatMap((pair) => ['--set', pair]);

describe('an approval with fields', () => {
  it('shows what it asks, takes typed answers, and offers them as `json`', async () => {
    const workspace = new Workspace({ 'w.yaml': FORM(), 'n.md': '' });
    const waiting = await workspace.run(['run', 'w.yaml']);
    const [run = ''] = workspace.runs();
    expect(waiting.exitCode).toBe(3);
    const asked = [
      'version (string, required): The new version.',
      'count (number, default 3)',
      'level (minor | major, required)',
      'notify (boolean, optional)',
      'notes (file, optional)',
      `orchestrate approve ${run} Plan --set version=… --set level=…`,
    ];
    expect(waiting.stderr).toContain(asked.map((line) => `    ${line}\n`).join(''));
    const { stdout } = await workspace.run(['show']);
    expect(stdout).toContain(`Plan asks: What is released?\n${asked.map((line) => `  ${line}\n`).join('')}`);
    expect(JSON.parse((await workspace.run(['show', '--json'])).stdout).waiting_for.Plan).toMatchObject({
      message: 'What is released?',
      choices: [],
      fields: [{ name: 'version', type: 'string', required: true }, {}, {}, {}, {}],
    });

    const given = set('version=1.2', 'level=major', 'notify=true', 'notes=n.md');
    expect(await workspace.run(['approve', 'last', 'Plan', ...given, '--by', 'ann'])).toMatchObject({
      exitCode: 0,
      stderr: `Recorded the answer for \`Plan\`. Continue with: orchestrate resume ${run}\n`,
    });
    const resumed = await workspace.run(['resume', 'last']);
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stderr).toContain(
      '✓ Plan  version 1.2, count 3, level major, notify true, notes n.md (ann)\n',
    );
    expect(workspace.step('After').output).toBe('1.2 3 major true ann\n');
    expect(workspace.step('Plan').json).toEqual({
      version: '1.2',
      count: 3,
      level: 'major',
      notify: true,
      notes: 'n.md',
      ...{ choice: null, comment: null, by: 'ann', expired: false },
    });
  });

  it('reports all problems of an answer at once', async () => {
    const workspace = new Workspace({ 'w.yaml': FORM('      choices: ["yes", "no"]\n') });
    await workspace.run(['run', 'w.yaml']);
    const given = set('count=many', 'level=mayor', 'notes=none.md', 'verson=1.2');
    expect(await workspace.run(['approve', 'last', 'Plan', '--choose', 'maybe', ...given])).toMatchObject({
      exitCode: 2,
      stderr: `error: unknown choice \`maybe\` for \`Plan\`
  the field \`version\` is missing; it must be text
  the field \`count\` must be a number, but is \`many\`
  the field \`level\` must be \`minor\` or \`major\`, but is \`mayor\`; did you mean \`major\`?
  the field \`notes\` must be a file in the workspace, but \`none.md\` does not exist
  unknown field \`verson\`; did you mean \`version\`?
help: choose one of yes, no; fields of \`Plan\`: version, count, level, notify, notes
`,
    });
    expect((await workspace.run(['approve', 'last', 'Plan', ...set('version')])).stderr).toContain(
      '`--set version` is not `key=value`',
    );
    expect(
      (
        await workspace.run([
          'approve',
          'last',
          'Plan',
          '--choose',
          'yes',
          ...set('version=1', 'level=minor'),
        ])
      ).exitCode,
    ).toBe(0);
    await workspace.run(['resume', 'last']);
    expect(workspace.step('Plan')).toMatchObject({ output: 'yes', json: { choice: 'yes', version: '1' } });
  });

  it('ignores an answer of another program that does not fit', async () => {
    const workspace = new Workspace({ 'w.yaml': FORM() });
    await workspace.run(['run', 'w.yaml']);
    const file = `.orchestrate/runs/${workspace.runs()[0]}/answers/Plan.json`;
    for (const values of [{}, { version: '1', level: 'huge' }, { version: [1], level: 'minor' }, 7]) {
      workspace.write({ [file]: JSON.stringify({ key: 'Plan', values }) });
      expect((await workspace.run(['resume', 'last'])).exitCode).toBe(3);
    }
    workspace.write({ [file]: JSON.stringify({ key: 'Plan', values: { version: 2, level: 'minor' } }) });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(workspace.step('After').output).toBe('2 3 minor unset null\n');
  });

  it('is answered by its defaults after its time, if they are complete', async () => {
    const flow = (field: string) => `steps:
  - name: Ask
    approve: {message: How many?, timeout_sec: 0.1, fields: [${field}]}
    retries: 0
  - {name: After, command: [echo, "\${steps.Ask.json.count} \${steps.Ask.json.expired}"]}
`;
    const workspace = new Workspace({
      'complete.yaml': flow('{name: count, type: number, default: 3}'),
      'open.yaml': flow('{name: count, type: number}'),
    });
    for (let ended = await workspace.run(['run', 'complete.yaml']); ended.exitCode === 3; )
      ended = await workspace.run(['resume', 'last']);
    expect(workspace.step('After').output).toBe('3 true\n');
    let ended = await workspace.run(['run', 'open.yaml']);
    while (ended.exitCode === 3) ended = await workspace.run(['resume', 'last']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.step('Ask').outcome).toBe('no-answer');
  });

  it('asks on a terminal for what is missing, field by field', async () => {
    const workspace = new Workspace({ 'w.yaml': FORM('      choices: ["yes", "no"]\n') });
    await workspace.run(['run', 'w.yaml']);
    const ended = await onTerminal(
      workspace,
      ['approve', 'last', 'Plan', ...set('version=1.2')],
      [
        { to: 'count (number; default 3): ', type: '\r' },
        { to: 'level (minor, major): ', type: 'tiny\r' },
        { to: 'level (minor, major): ', type: 'minor\r' },
        { to: 'notify (true, false): ', type: '\r' },
        { to: 'notes (file): ', type: '\r' },
        { to: 'choice (yes, no): ', type: 'yes\r' },
      ],
    );
    expect([ended.exitCode, ended.shown]).toEqual([0, expect.stringContaining('Recorded `yes` for `Plan`.')]);
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(workspace.step('Plan')).toMatchObject({
      output: 'yes',
      json: { version: '1.2', count: 3, level: 'minor' },
    });
  });
});
