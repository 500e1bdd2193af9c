import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';
import { refusingToBeRead } from '../rig/refusing.ts';

const yaml = `context: {level: "1"}
providers:
  p: {adapter: mock, script: {answer: "about {prompt}", cost_usd: 0.5}}
steps:
  - name: Build
    command: [bash, -c, "echo x >> built; cat src/*.c; mkdir -p out; cat src/*.c > out/made.o"]
    output_file: out/log.txt
    expect: {files: ["out/*.o"]}
    cache: {inputs: ["src/*.c"], key: ["\${context.level}"]}
  - name: Ask
    provider: p
    input_file: p.md
    cache: {}
  - name: Plain
    command: [bash, -c, "echo x >> plain"]
`;

describe('`cache`', () => {
  it('reuses the result of an earlier run while command, inputs and key are the same, and restores its files', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'src/a.c': 'int a;', 'p.md': 'me' });
    const again = async (...flags: readonly string[]) => {
      expect(await workspace.run(['run', 'w.yaml', ...flags])).toMatchObject({ exitCode: 0 });
      return countOf(workspace, 'built');
    };
    expect(await again()).toBe(1);
    const [first] = workspace.runs();
    fs.rmSync(path.join(workspace.folder, 'out'), { recursive: true });
    expect(await again()).toBe(1);
    expect(workspace.read('out/made.o')).toBe('int a;');
    expect(workspace.read('out/log.txt')).toBe('int a;');
    expect(workspace.step('Build')).toMatchObject({
      status: 'completed',
      output: 'int a;',
      decisions: [`result taken from the cache (run ${first})`],
    });
    // The agent's answer too, at no cost.
    expect(workspace.step('Ask')).toMatchObject({ output: 'about me' });
    expect(workspace.state().totals).toMatchObject({ cost_usd: 0, agent_calls: 0 });
    expect(countOf(workspace, 'plain')).toBe(2);

    expect(await again('--no-cache')).toBe(2);
    expect(await again('--context', 'level=2')).toBe(3);
    workspace.write({ 'src/a.c': 'int b;' });
    expect(await again()).toBe(4);
    workspace.write({ 'src/b.c': 'int c;' });
    expect(await again()).toBe(5);
    workspace.remove('src/b.c');
    workspace.write({ 'src/a.c': 'int a;', 'p.md': 'you' });
    expect(await again()).toBe(5);
    expect(workspace.step('Ask')).toMatchObject({ output: 'about you', cost_usd: 0.5 });
  });

  it('tolerates an input that cannot be closed after reading', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'src/a.c': 'int a;', 'p.md': 'me' });
    const env = refusingToBeRead(workspace.folder, { kind: 'close', file: 'src/a.c', number: 1 });
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 0 });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'built')).toBe(1);
  });

  it('reports an input that cannot be read', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'src/a.c': 'int a;', 'p.md': 'me' });
    const env = refusingToBeRead(workspace.folder, { kind: 'read', file: 'src/a.c', number: 1 });
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Build').error?.message).toBe(
      'cannot read `src/a.c`: the disk reported an error (EIO)',
    );
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
  });

  it('does not store failures', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - {name: X, command: [bash, -c, "echo x >> n; exit 1"], cache: {inputs: ["w.yaml"]}}\n`,
    });
    await workspace.run(['run', 'w.yaml']);
    await workspace.run(['run', 'w.yaml']);
    expect(countOf(workspace, 'n')).toBe(2);
  });
});
