import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const HOSTILE = `it's "$(touch made)" \`touch made\` $HOME; touch made #`;

describe('`script`', () => {
  it('runs in bash, with each value quoted for its place', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {note: ${JSON.stringify(HOSTILE)}}
steps:
  - name: Write
    script: |
      # A comment.
      mkdir -p out
      for name in a b; do
        echo \${context.note} "\${context.note}" > "out/$name.txt"
      done
      [[ -e out/a.txt ]] && echo "$\${BASH_VERSION:+bash} $0"
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(workspace.step('Write').output).toBe('bash bash\n');
    expect(workspace.read('out/b.txt')).toBe(`${HOSTILE} ${HOSTILE}\n`);
    expect(workspace.has('made')).toBe(false);
  });

  it('stops at the first command that fails, at a failed pipe and at an unset variable', async () => {
    const step = (name: string, script: string, rest = '') =>
      `  - {name: ${name}, script: "${script}; touch went-on", ${rest}on: {always: {goto: ${name}After}}}\n  - {name: ${name}After, command: ["true"]}\n`;
    const workspace = new Workspace({
      'w.yaml': `steps:\n${step('Exit', '(exit 3)')}${step('Pipe', '(exit 4) | cat')}${step('Unset', 'echo $nothing')}${step('InSh', '(exit 5)', 'shell: sh, ')}${step('UnsetInSh', 'echo $nothing', 'shell: sh, ')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(['Exit', 'Pipe', 'InSh'].map((name) => workspace.step(name).exit_code)).toEqual([3, 4, 5]);
    expect(workspace.step('Unset').error?.stderr_tail).toBe('bash: line 1: nothing: unbound variable\n');
    expect(workspace.step('UnsetInSh').status).toBe('failed');
    expect(workspace.has('went-on')).toBe(false);
  });

  it('has everything that a command has: standard input, files, capture, cache, retries, dry run', async () => {
    const workspace = new Workspace({
      'in.txt': 'a\nb\n',
      'w.yaml': `steps:
  - name: Count
    script: |
      echo x >> counted
      cat
    shell: sh
    input_file: in.txt
    output_file: out.txt
    output_capture: lines
    env: {A: b}
    cache: {inputs: [in.txt]}
  - {name: Each, for_each: {items_from: steps.Count.lines, steps: [{name: Say, script: "echo \${item}"}]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('out.txt')).toBe('a\nb\n');
    expect(workspace.iterations('Each').map((item) => item['Say']?.output)).toEqual(['a\n', 'b\n']);
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('counted')).toBe('x\n');
    expect(await workspace.run(['run', 'w.yaml', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Count').decisions).toEqual([
      "dry run: would run sh -eu -c 'echo x >> counted\ncat\n'",
    ]);
  });
});
