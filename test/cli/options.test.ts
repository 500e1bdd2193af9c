import { expect, test } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

test.each([
  [['converse', 'run', 'talk', '--max-iterations', '0']],
  [['execute', '--max-parallel', '0']],
  [['logs', 'last', '--attempt', '0']],
])('a count of zero is rejected: %j', async (argv) => {
  const { exitCode, stderr } = await new Workspace({}).run(argv);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('is invalid: must be a whole number, 1 or more\n'),
  ]);
});

test('`--replay-loose` alone is rejected', async () => {
  const workspace = new Workspace({ 'a.yaml': 'name: A\nsteps:\n  - {name: S, command: ["true"]}\n' });
  expect(await workspace.run(['run', 'a.yaml', '--replay-loose'])).toMatchObject({
    exitCode: 2,
    stderr:
      'error: `--replay-loose` needs `--replay`\nhelp: name the run or folder with the cassettes: `--replay <run|folder>`\n',
  });
  expect(workspace.runs()).toEqual([]);
});

test.each([
  [['run', 'a.yaml', '--context-file', 'none.json'], 'cannot read the context file `none.json`'],
  [['plan', '--file', 'none.json'], 'cannot read `none.json`'],
])('a missing file is reported as a sentence: %j', async (argv, problem) => {
  const { exitCode, stderr } = await new Workspace({}).run(argv);
  expect([exitCode, stderr]).toEqual([2, `error: ${problem}: no such file or folder (ENOENT)\n`]);
});

test.each([
  [['phases', 'run', '--agent', ''], '`--agent` cannot be used: the command is empty\n'],
  [['phases', 'run', '--agent', "'' -p"], '`--agent` cannot be used: the command is empty\n'],
])('an invalid value is reported with its option or name: %j', async (argv, problem) => {
  const { exitCode, stderr } = await new Workspace({}).run(argv);
  expect([exitCode, stderr]).toEqual([2, `error: ${problem}`]);
});

test.each([
  [['task', 'update', 'IMPL-1', '--status', 'done'], 'orchestrate task update --help'],
  [['iterate', 'run', '--bogus'], 'orchestrate iterate run --help'],
  [['execute', '--bogus'], 'orchestrate execute --help'],
])('a wrong option names the help of its own command: %j', async (argv, help) => {
  const { exitCode, stderr } = await new Workspace({}).run(argv);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`(see \`${help}\`)\n`)]);
});
