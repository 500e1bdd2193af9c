import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

/** Nested loops whose names alone exceed the maximum length of a file name. */
function nested(depth: number, inner: string): string {
  const lines = ['steps:'];
  let indent = '  ';
  for (let at = 0; at < depth; at += 1) {
    lines.push(`${indent}- name: Level${at}${'x'.repeat(80)}`, `${indent}  for_each:`);
    lines.push(`${indent}    items: [a, b]`, `${indent}    steps:`);
    indent += '      ';
  }
  return `${[...lines, `${indent}- ${inner}`].join('\n')}\n`;
}

it('steps whose keys are longer than a file name have separate logs, prompts, cassettes and answers', async () => {
  const workspace = new Workspace({
    'w.yaml': nested(2, `{name: ${'W'.repeat(90)}, command: [echo, "\${item}"]}`),
    'agent.yaml': nested(3, `{name: Ask, provider: mock, input_file: p.md}`).replaceAll('[a, b]', '[a]'),
    'approve.yaml': nested(3, '{name: Well, approve: {message: "Well?"}}').replaceAll('[a, b]', '[a]'),
    'p.md': 'Do it.',
  });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  const [first = '', ...others] = workspace
    .journal()
    .flatMap(({ type, key = '' }) => (type === 'step-started' && !key.includes('@') ? [key] : []));
  expect(others).toHaveLength(3);
  expect(first.length).toBeGreaterThan(255);
  const logs = workspace.list(`.orchestrate/runs/${workspace.runs()[0]}/logs`);
  expect(logs.filter((name) => /^Level0x+~[0-9a-f]{16}~W+\.stdout$/.test(name))).toHaveLength(4);
  expect((await workspace.run(['logs', 'last', first])).stdout).toBe('a\n');
  expect((await workspace.run(['logs', 'last', others[0] ?? ''])).stdout).toBe('b\n');

  expect(await workspace.run(['run', 'agent.yaml', '--record'])).toMatchObject({ exitCode: 0 });
  const recorded = workspace.runs().at(-1) ?? '';
  expect(workspace.list(`.orchestrate/runs/${recorded}/prompts`)).toEqual([
    expect.stringMatching(/^001-Level0x+~[0-9a-f]{16}~.*\.0\.Ask\.txt$/),
  ]);
  expect(await workspace.run(['run', 'agent.yaml', '--replay', recorded])).toMatchObject({ exitCode: 0 });

  expect(await workspace.run(['run', 'approve.yaml'])).toMatchObject({ exitCode: 3 });
  const [question = ''] = Object.keys(workspace.state().waiting_for ?? {});
  expect(await workspace.run(['approve', 'last', question, '--choose', 'approve'])).toMatchObject({
    exitCode: 0,
  });
  expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
});
