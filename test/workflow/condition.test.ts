import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { quiet } from './runs.ts';

const CASES: readonly (readonly [when: string, reason: string])[] = [
  ['{equals: {left: "${context.x}", right: "7.0"}}', '`${context.x}` is `7`, not `7.0`'],
  ['{equals: {left: "7.0", right: "${context.x}"}}', '`${context.x}` is `7`, not `7.0`'],
  ['{equals: {left: "${context.x}", right: "${context.y}"}}', '`${context.x}` is `7`, `${context.y}` is `8`'],
  ['{equals: {left: "a", right: "b"}}', '`a` is not `b`'],
  ['{equals: {left: "${context.line}", right: "yes"}}', '`${context.line}` is `"yes\\n"`, not `yes`'],
  [
    '{equals: {left: "${context.long}", right: "yes"}}',
    `\`\${context.long}\` is \`${'y'.repeat(80)}…\`, not \`yes\``,
  ],
  ['{not_equals: {left: "${context.x}", right: "7"}}', '`${context.x}` is `7`'],
  ['{exists: a}', '`a` does not exist'],
  ['{exists: "*.md"}', 'no file matches `*.md`'],
  ['{not_exists: w.yaml}', '`w.yaml` exists'],
  ['{not_exists: "*.yaml"}', 'a file matches `*.yaml`'],
  ['{not: {not_exists: a}}', '`a` does not exist'],
  ['{all: [{exists: w.yaml}, {exists: a}, {exists: b}]}', '`a` does not exist'],
  [
    '{any: [{exists: a}, {all: [{exists: w.yaml}, {exists: b}]}]}',
    '`a` does not exist and `b` does not exist',
  ],
  ['{not: {any: [{exists: a}, {exists: w.yaml}]}}', '`w.yaml` exists'],
  [
    '{greater_than: {left: "${context.x}", right: 7}}',
    '`${context.x}` is `7`, which is not greater than `7`',
  ],
  [
    '{less_than: {left: "${context.y}", right: "${context.x}"}}',
    '`${context.y}` is `8`, which is not less than `${context.x}` (`7`)',
  ],
  ['{at_least: {left: 1e1, right: "${context.big}"}}', '`10` is less than `${context.big}` (`10.5`)'],
  [
    '{at_most: {left: "${context.big}", right: 10}}',
    '`${context.big}` is `10.5`, which is greater than `10`',
  ],
  [
    '{contains: {left: "${context.file}", right: "[slug"}}',
    '`${context.file}` is `app/x.tsx`, which does not contain `[slug`',
  ],
  [
    '{matches: {left: "${context.file}", right: "*.ts"}}',
    '`${context.file}` is `app/x.tsx`, which does not match `*.ts`',
  ],
  ['{matches: {left: "x.tsx", right: "${context.star}"}}', '`x.tsx` does not match `${context.star}` (`*`)'],
  ['{defined: "${context.none}"}', '`${context.none}` is not defined'],
  ['{not: {defined: "${context.x}"}}', '`${context.x}` is defined'],
];

const MET: readonly (readonly [when: string, fact: string])[] = [
  [
    '{greater_than: {left: "${context.big}", right: 9}}',
    '`${context.big}` is `10.5`, which is greater than `9`',
  ],
  ['{less_than: {left: "${context.x}", right: 10}}', '`${context.x}` is `7`, which is less than `10`'],
  ['{at_least: {left: "${context.x}", right: "07.0"}}', '`${context.x}` is `7`, which is at least `07.0`'],
  ['{at_most: {left: "${context.x}", right: 7}}', '`${context.x}` is `7`, which is at most `7`'],
  [
    '{contains: {left: "${context.file}", right: /x}}',
    '`${context.file}` is `app/x.tsx`, which contains `/x`',
  ],
  [
    '{matches: {left: "${context.file}", right: "app/*.{ts,tsx}"}}',
    '`${context.file}` is `app/x.tsx`, which matches `app/*.{ts,tsx}`',
  ],
  ['{matches: {left: "${context.file}", right: "*"}}', '`${context.file}` is `app/x.tsx`, which matches `*`'],
  ['{defined: "${context.x}"}', '`${context.x}` is defined'],
  [
    '{all: [{exists: w.yaml}, {equals: {left: "${context.x}", right: 7}}]}',
    '`w.yaml` exists and `${context.x}` is `7`',
  ],
];
const CONTEXT = `context: {x: 7, y: 8, big: 10.5, file: app/x.tsx, star: "*", line: "yes\\n", long: ${'y'.repeat(100)}}\n`;

it('a skipped step states the fact that decided its condition', async () => {
  const steps = CASES.map(([when], index) => quiet(`S${index}`, `    when: ${when}\n`)).join('');
  const workspace = new Workspace({ 'w.yaml': `${CONTEXT}steps:\n${steps}` });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  const found = CASES.map(([when], index) => [when, workspace.step(`S${index}`)['decisions']]);
  expect(found).toEqual(CASES.map(([when, reason]) => [when, [`skipped: ${reason}`]]));
});

it('`explain` shows the values that were compared, also when the condition was met', async () => {
  const steps = MET.map(([when], index) => quiet(`S${index}`, `    when: ${when}\n`)).join('');
  const workspace = new Workspace({ 'w.yaml': `${CONTEXT}steps:\n${steps}` });
  const ended = await workspace.run(['run', 'w.yaml']);
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(ended.stderr).not.toContain('condition met');
  for (const [index, [, fact]] of MET.entries()) {
    const explained = await workspace.run(['explain', 'last', `S${index}`]);
    expect(explained.stdout).toContain(`→ condition met: ${fact}\n`);
  }
});

it('a value that is not a number fails the step with exit code 2 and is named', async () => {
  const workspace = new Workspace({
    'w.yaml': `steps:
  - {name: Say, command: [echo, many]}
  - {name: Over, command: ["true"], when: {greater_than: {left: "\${steps.Say.output}", right: 3}}}
`,
  });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
  expect(workspace.step('Over')).toMatchObject({
    exit_code: 2,
    error: { message: '`${steps.Say.output}` is `many`, not a number' },
  });
  expect(await workspace.run(['run', 'w.yaml', '--dry-run'])).toMatchObject({ exitCode: 0 });
});

it('`until` of a `repeat` compares numbers, and `explain` shows every iteration', async () => {
  const workspace = new Workspace({
    'w.yaml': `steps:
  - name: Count
    repeat:
      steps: [{name: Add, script: "echo x >> file; wc -l < file"}]
      until: {at_least: {left: "\${steps.Add.output}", right: 3}}
`,
  });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  expect(workspace.read('file')).toBe('x\nx\nx\n');
  const { stdout } = await workspace.run(['explain', 'last', 'Count']);
  expect(stdout.match(/(?<=→ ).*until.*/g)).toEqual([
    'after iteration 1, `until` is not met: `${steps.Add.output}` is `1`, which is less than `3`',
    'after iteration 2, `until` is not met: `${steps.Add.output}` is `2`, which is less than `3`',
    'after iteration 3, `until` is met: `${steps.Add.output}` is `3`, which is at least `3`',
  ]);
});
