import { describe, expect, it } from 'vitest';
import { type Started, until, Workspace } from '../rig/orchestrate.ts';

/** Starts `watch`, and returns its output so far and the number of ended runs. */
function watching(
  workspace: Workspace,
  ...flags: readonly string[]
): Started & { said(): string; waits(): number } {
  const started = workspace.start(['watch', 'w.yaml', ...flags]);
  let text = '';
  started.child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    ...started,
    said: () => text,
    waits: () => text.split('watching w.yaml').length - 1,
  };
}

describe('`watch`', () => {
  it('runs again after a change of the workflow, a prompt or a declared input, but not after other changes', async () => {
    const yaml = (word: string) => `context: {dir: docs}
providers:
  cat: {command: [cat], input_mode: stdin}
steps:
  - {name: Ask, provider: cat, input_file: "\${context.dir}/p.md", output_file: out/answer.md}
  - {name: Say, command: [echo, "${word} \${context.given}"], depends_on: {optional: ["src/**/*.c"]}}
  - {name: Use, command: [cat], input_file: out/answer.md}
`;
    const workspace = new Workspace({ 'w.yaml': yaml('one'), 'docs/p.md': 'first' });
    const watch = watching(workspace, '--context', 'given=x');
    await until(() => watch.waits() === 1);
    expect(workspace.step('Say').output).toBe('one x\n');

    workspace.write({ 'w.yaml': yaml('two') });
    await until(() => watch.waits() === 2);
    expect(workspace.step('Say').output).toBe('two x\n');

    workspace.write({ 'docs/p.md': 'second' });
    await until(() => watch.waits() === 3);
    expect(workspace.step('Ask').output).toBe('second');

    // An invalid file is reported, and still watched.
    workspace.write({ 'w.yaml': 'steps: [oops' });
    await until(() => watch.waits() === 4);
    expect(watch.said()).toContain('error[yaml/');
    workspace.write({ 'w.yaml': yaml('three') });
    await until(() => watch.waits() === 5);

    // Not after its own output, the same contents, or a file it does not read.
    workspace.write({
      'out/answer.md': 'edited',
      'docs/p.md': 'second',
      'notes.txt': 'x',
      'w.yaml': yaml('three'),
    });
    workspace.write({ 'src/deep/a.c': 'int a;' });
    await until(() => watch.waits() === 6);
    expect(watch.said().match(/^changed: .*$/gm)).toEqual([
      ...[
        'changed: w.yaml',
        'changed: docs/p.md',
        'changed: w.yaml',
        'changed: w.yaml',
        'changed: src/deep/a.c',
      ],
    ]);
    expect(workspace.runs()).toHaveLength(5);

    watch.child.kill('SIGINT');
    expect(await watch.ended).toMatchObject({ exitCode: 0 });
  });

  it('queues one run for all changes during a run', async () => {
    const workspace = new Workspace({
      'a.md': '0',
      'w.yaml': `steps:
  - {name: Hold, command: [bash, -c, "echo x >> runs; while [ ! -e go ]; do sleep 0.02; done"], depends_on: {required: [a.md]}}
`,
    });
    const watch = watching(workspace);
    await until(() => workspace.has('runs'));
    workspace.write({ 'a.md': '1' });
    workspace.write({ 'a.md': '2' });
    workspace.write({ go: '' });
    await until(() => watch.waits() === 2);
    expect(workspace.runs()).toHaveLength(2);
    expect(watch.said().match(/^changed: .*$/gm)).toEqual(['changed: a.md']);
    watch.child.kill('SIGTERM');
    expect(await watch.ended).toMatchObject({ exitCode: 0 });
  });

  it('ends with the run when its terminal is closed', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps:\n  - {name: Hold, command: [bash, -c, "touch begun; sleep 300"]}\n',
    });
    const watch = watching(workspace);
    await until(() => workspace.has('begun'));
    watch.child.kill('SIGHUP');
    expect(await watch.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.state().status).toBe('interrupted');
    expect(watch.waits()).toBe(0);
  });
});
