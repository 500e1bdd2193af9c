/** A loop whose items come from a step that has not run: `run-step`, and dry runs. */
import { expect, test } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const YAML = `name: W
providers: {m: {adapter: mock}}
steps:
  - {name: List, command: [bash, -c, "printf 'a\\\\nb\\\\n'"], output_capture: lines}
  - {name: Each, for_each: {items_from: steps.List.lines, as: file, steps: [{name: Ask, provider: m, input_file: p.md}, {name: Do, command: [echo, "\${file}"]}]}}
  - {name: Again, for_each: {items: "\${steps.List.lines}", steps: [{name: Say, command: [echo, "\${item}"]}]}}
  - {name: Use, command: [echo, "\${steps.List.lines} \${context.none:-none}"]}
  - {name: Maybe, when: {exists: no-such-file}, command: [echo, "\${steps.List.lines}"]}
`;
const files = { 'w.yaml': YAML, 'p.md': 'review' };

test.each(['Each', 'Again', 'Use', 'Maybe'])(
  '`run-step %s` without results says where to take them from, and starts nothing',
  async (step) => {
    const workspace = new Workspace(files);
    expect(await workspace.run(['run-step', step, '--workflow', 'w.yaml'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        new RegExp(
          `error: \`${step}\` needs the results of \`List\`\nhelp: take them from an earlier run: \`--from-run <run>\`\n$`,
        ),
      ),
    });
    expect(workspace.runs()).toEqual([]);
  },
);

test('`run-step` takes the items of a loop from another run', async () => {
  const workspace = new Workspace(files);
  await workspace.run(['run', 'w.yaml', '-q']);
  const [first = ''] = workspace.runs();
  for (const step of ['Each', 'Again', 'Use'])
    expect(
      await workspace.run(['run-step', step, '--workflow', 'w.yaml', '--from-run', first]),
    ).toMatchObject({
      exitCode: 0,
    });
  const each = workspace.runs()[1];
  expect(workspace.iterations('Each', each).map((item) => item['Do']?.output)).toEqual(['a\n', 'b\n']);
});

test('`run-step` with a run that did not get so far names what is missing', async () => {
  const workspace = new Workspace({
    ...files,
    'stop.yaml': 'steps:\n  - {name: Stop, command: ["false"]}\n',
  });
  await workspace.run(['run', 'stop.yaml', '-q']);
  const { exitCode, stderr } = await workspace.run([
    'run-step',
    'Each',
    '--workflow',
    'w.yaml',
    '--from-run',
    'last',
  ]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('error: `Each` needs the results of `List`, and run `last` does not have them\n'),
  ]);
});

test('a dry run shows the steps of a loop over a list that does not exist yet, once', async () => {
  const workspace = new Workspace(files);
  const { exitCode, stderr } = await workspace.run(['run', 'w.yaml', '--dry-run']);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('Each/0/Ask [${file}]  dry run: would ask `m`');
  expect(stderr).toContain("Each/0/Do [${file}]  dry run: would run echo '${file}'");
  expect(stderr).toContain("Again/0/Say [${item}]  dry run: would run echo '${item}'");
  expect(workspace.iterations('Each')).toHaveLength(1);
});
