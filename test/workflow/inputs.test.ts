import { describe, expect, it } from 'vitest';
import { onTerminal } from '../rig/answering.ts';
import { Workspace } from '../rig/orchestrate.ts';

const SHIP = `name: ship
description: Ships one issue.
inputs:
  issue: {type: number, description: The number of the issue.}
  mode: {choices: [quick, full], default: quick}
  dry: {type: boolean, default: true}
  spec: {type: file, required: false}
context:
  team: core
steps:
  - name: Show
    command: [echo, "\${context.issue} \${context.mode} \${context.dry} \${context.spec:-none} \${context.team}"]
`;

/** Fails until the file \`ready\` exists. */
const UNREADY = `${SHIP}  - {name: Wait, command: [test, -e, ready]}\n`;

function output(workspace: Workspace): string | undefined {
  return workspace.step('Show').output?.trim();
}

describe('the inputs of a workflow', () => {
  it('become typed values of the context, with defaults', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP, 'a.md': '' });
    const argv = [
      'run',
      'ship.yaml',
      '--context',
      'issue=7',
      '--context',
      'spec=a.md',
      '--context',
      'dry=false',
    ];
    expect((await workspace.run(argv)).exitCode).toBe(0);
    expect(output(workspace)).toBe('7 quick false a.md core');
    expect(workspace.state()['context']).toEqual({
      issue: 7,
      mode: 'quick',
      dry: false,
      spec: 'a.md',
      team: 'core',
    });
  });

  it('can come from a context file, and a key of `context` can be set beside them', async () => {
    const workspace = new Workspace({
      'ship.yaml': SHIP,
      'c.json': '{"issue": 8, "mode": "full", "team": "web"}',
    });
    expect((await workspace.run(['run', 'ship.yaml', '--context-file', 'c.json'])).exitCode).toBe(0);
    expect(output(workspace)).toBe('8 full true none web');
  });

  it('are checked before the run starts, all at once', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    const given = ['mode=fast', 'dry=perhaps', 'spec=b.md', 'tema=web'].flatMap((pair) => [
      '--context',
      pair,
    ]);
    const ended = await workspace.run(['run', 'ship.yaml', ...given]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.match(/^error.*|^help.*/gm)).toEqual([
      'error[inputs/unknown]: unknown input `tema`',
      'help: did you mean `--context team=…`?',
      'error[inputs/missing]: the input `issue` is missing',
      'help: set it with `--context issue=…`; it must be a number',
      'error[inputs/invalid]: the input `mode` must be `quick` or `full`, but is `fast`',
      'help: set it with `--context mode=…`',
      'error[inputs/invalid]: the input `dry` must be `true` or `false`, but is `perhaps`',
      'help: set it with `--context dry=…`',
      'error[inputs/invalid]: the input `spec` must be a file in the workspace, but `b.md` does not exist',
      'help: set it with `--context spec=…`',
    ]);
    expect(workspace.runs()).toEqual([]);
  });

  it('name no file outside the workspace', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    for (const path of ['/etc/passwd', '../x', '.']) {
      const argv = ['run', 'ship.yaml', '--context', 'issue=7', '--context', `spec=${path}`];
      expect((await workspace.run(argv)).stderr).toContain('error[inputs/invalid]: the input `spec` must be');
    }
    expect(workspace.runs()).toEqual([]);
  });

  it('are needed by `run-step` too', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    const argv = ['run-step', 'Show', '--workflow', 'ship.yaml'];
    expect((await workspace.run(argv)).stderr).toContain('the input `issue` is missing');
    expect((await workspace.run([...argv, '--context', 'issue=7'])).exitCode).toBe(0);
    expect(output(workspace)).toBe('7 quick true none core');
  });
});

describe('on a terminal', () => {
  it('missing inputs are asked for until they fit, and remembered in the run', async () => {
    const workspace = new Workspace({ 'ship.yaml': UNREADY });
    const ended = await onTerminal(
      workspace,
      ['run', 'ship.yaml'],
      [
        { to: 'issue (number): ', type: 'seven\r' },
        { to: 'issue (number): ', type: '\r' },
        { to: 'issue (number): ', type: '7\r' },
      ],
    );
    expect(ended.shown).toContain('The number of the issue.\nissue (number): ');
    expect(ended.shown).toContain('`issue` must be a number, but is `seven`\n');
    expect([ended.exitCode, output(workspace)]).toEqual([1, '7 quick true none core']);
    workspace.write({ ready: '' });
    const resumed = await onTerminal(workspace, ['resume', 'last'], []);
    expect([resumed.exitCode, resumed.shown]).toEqual([0, expect.not.stringContaining('issue (')]);
  });

  it('nothing is asked if an input is wrong, with --quiet or with --json', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    for (const flags of [['--context', 'mode=fast'], ['--quiet'], ['--json']]) {
      const ended = await onTerminal(workspace, ['run', 'ship.yaml', ...flags], []);
      expect([ended.exitCode, ended.shown]).toEqual([
        2,
        expect.stringContaining('the input `issue` is missing'),
      ]);
      expect(ended.shown).not.toContain('issue (number)');
    }
  });

  it('Ctrl-D instead of an answer starts nothing and lists what is missing', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    const ended = await onTerminal(
      workspace,
      ['run', 'ship.yaml'],
      [{ to: 'issue (number): ', type: '\u0004' }],
    );
    expect([ended.exitCode, ended.shown]).toEqual([
      2,
      expect.stringContaining('the input `issue` is missing'),
    ]);
    expect(workspace.runs()).toEqual([]);
  });
});

describe('a run that is resumed', () => {
  it('keeps its inputs, even if a file that one of them names is gone', async () => {
    const workspace = new Workspace({ 'ship.yaml': UNREADY, 'a.md': '' });
    await workspace.run(['run', 'ship.yaml', '--context', 'issue=7', '--context', 'spec=a.md']);
    workspace.remove('a.md');
    workspace.write({ ready: '' });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    expect(output(workspace)).toBe('7 quick true a.md core');
  });

  it('with --accept-changes follows the file, except for values that were given', async () => {
    const workspace = new Workspace({ 'ship.yaml': UNREADY });
    await workspace.run(['run', 'ship.yaml', '--context', 'issue=7', '--context', 'team=web']);
    const last =
      '  - name: Last\n    command: [echo, "${context.issue} ${context.mode} ${context.team} ${context.more}"]\n';
    const changed = UNREADY.replace('default: quick', 'default: full').replace(
      'context:\n',
      '  more: {default: x}\ncontext:\n',
    );
    workspace.write({ 'ship.yaml': `${changed}${last}`, ready: '' });
    expect((await workspace.run(['resume', 'last', '--accept-changes'])).exitCode).toBe(0);
    expect(workspace.step('Last').output).toBe('7 full web x\n');
  });

  it('is refused if an input without a default was added', async () => {
    const workspace = new Workspace({ 'ship.yaml': UNREADY });
    await workspace.run(['run', 'ship.yaml', '--context', 'issue=7']);
    workspace.write({ 'ship.yaml': UNREADY.replace('context:\n', '  more: {}\ncontext:\n') });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'the input `more` was added after the run was started, and has no value',
      ),
    });
  });
});

describe('a called workflow', () => {
  const CALLED = `inputs:
  count: {type: number}
  spec: {type: file, required: false}
steps:
  - {name: Show, command: [echo, "\${context.count} \${context.spec:-none}"]}
outputs: {count: "\${context.count}"}
`;
  const calling = (context: string) => `steps:
  - {name: Count, command: [bash, -c, "cat count"]}
  - {name: Call, call: {workflow: called.yaml, context: ${context}}}
`;

  it('gets typed inputs', async () => {
    const workspace = new Workspace({
      'called.yaml': CALLED,
      'main.yaml': calling('{count: "${steps.Count.output}", spec: "${steps.Count.output}.md"}'),
      count: '3\n',
      '3.md': '',
    });
    expect((await workspace.run(['run', 'main.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Call').json).toEqual({ count: 3 });
  });

  it('does not start with a value that does not fit', async () => {
    const workspace = new Workspace({
      'called.yaml': CALLED,
      'main.yaml': calling('{count: "${steps.Count.output}", spec: "${steps.Count.output}.md"}'),
      count: 'many\n',
    });
    const ended = await workspace.run(['run', 'main.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(workspace.step('Call')).toMatchObject({ exit_code: 2, outcome: 'unusable-values' });
    expect(ended.stderr).toContain('the input `count` of `called.yaml` must be a number, but is `many`');
    expect(ended.stderr).toContain(
      'the input `spec` of `called.yaml` must be a file in the workspace, but `many.md` does not exist',
    );
  });
});

describe('orchestrate inputs', () => {
  it('prints the description and the inputs', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    expect(await workspace.run(['inputs', 'ship.yaml'])).toEqual({
      exitCode: 0,
      signal: null,
      stderr: '',
      stdout: `ship

Ships one issue.

INPUT  TYPE
issue  number        required       The number of the issue.
mode   quick | full  default quick
dry    boolean       default true
spec   file          optional

other context: team

start it with: orchestrate run ship.yaml --context issue=…
`,
    });
  });

  it('prints those of the `input` schema of a workflow in code', async () => {
    const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema: { input: () => ({
      type: 'object', required: ['base', 'count'],
      properties: { base: { type: 'string', description: 'branch to compare with' }, count: { type: 'integer' }, mode: { enum: ['fast', 'slow'], default: 'fast' }, labels: { type: 'array' } } }) } } }`;
    const written = (more: string) =>
      `import { workflow } from 'orchestrate-run';\nexport default workflow({ name: 'review', ${more} run: async () => ({}) });\n`;
    const workspace = new Workspace({
      'review.workflow.mjs': written(`input: ${schema},`),
      'free.workflow.mjs': written(''),
    });
    expect(await workspace.run(['inputs', 'review.workflow.mjs'])).toMatchObject({
      exitCode: 0,
      stdout: `review

INPUT   TYPE
base    string       required      branch to compare with
count   number       required
mode    fast | slow  default fast
labels  string       optional      as JSON

start it with: orchestrate run review.workflow.mjs --input base=… --input count=…
`,
    });
    expect((await workspace.run(['inputs', 'free.workflow.mjs'])).stdout).toBe(
      'review\n\nno schema describes its input\n\nstart it with: orchestrate run free.workflow.mjs\n',
    );
  });

  it('prints them as JSON', async () => {
    const workspace = new Workspace({ 'ship.yaml': SHIP });
    const { stdout } = await workspace.run(['inputs', 'ship.yaml', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      name: 'ship',
      file: 'ship.yaml',
      description: 'Ships one issue.',
      inputs: [
        { name: 'issue', type: 'number', required: true, description: 'The number of the issue.' },
        { name: 'mode', type: 'choice', required: false, choices: ['quick', 'full'], default: 'quick' },
        { name: 'dry', type: 'boolean', required: false, default: true },
        { name: 'spec', type: 'file', required: false },
      ],
      context: { team: 'core' },
    });
  });

  it('explains an invalid file', async () => {
    const workspace = new Workspace({ 'ship.yaml': 'inputs: {a: {type: word}}\nsteps: []\n' });
    expect(await workspace.run(['inputs', 'ship.yaml'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
