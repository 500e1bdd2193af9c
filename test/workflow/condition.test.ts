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
];

it('a skipped step states the fact that decided its condition', async () => {
  const steps = CASES.map(([when], index) => quiet(`S${index}`, `    when: ${when}\n`)).join('');
  const context = `context: {x: 7, y: 8, line: "yes\\n", long: ${'y'.repeat(100)}}\n`;
  const workspace = new Workspace({ 'w.yaml': `${context}steps:\n${steps}` });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  const found = CASES.map(([when], index) => [when, workspace.step(`S${index}`)['decisions']]);
  expect(found).toEqual(CASES.map(([when, reason]) => [when, [`skipped: ${reason}`]]));
});
