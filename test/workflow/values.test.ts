import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const WRITE = `
      mkdir -p out
      printf 'v1.2\\n\\n' > out/version
      echo ' 42 ' > out/count
      echo true > out/green
      echo '{"tags": ["a", "b"]}' > out/data.json
      printf 'x\\r\\ny y\\n' > out/list`;

const VALUES = `
    values:
      version: {file: out/version}
      count: {file: "\${context.folder}/count", type: number}
      green: {file: out/green, type: boolean}
      data: {file: out/data.json, type: json}
      list: {file: out/list, type: lines}`;

describe('`values`', () => {
  it('are read from the files of a step, typed, and can be used in conditions, prompts, commands and loops', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {folder: out}
steps:
  - name: Build
    script: |${WRITE}${VALUES}
    cache: {}
  - name: Show
    when:
      all:
        - greater_than: {left: "\${steps.Build.values.count}", right: 41}
        - equals: {left: "\${steps.Build.values.green}", right: true}
        - defined: "\${steps.Build.values.data.tags.1}"
    command: [echo, "\${steps.Build.values.version} \${steps.Build.values.data.tags.0}"]
  - name: Each
    for_each: {items_from: steps.Build.values.list, steps: [{name: Say, command: [echo, "\${item}"]}]}
  - name: Tags
    for_each: {items: "\${steps.Build.values.data.tags}", steps: [{name: Tag, command: [echo, "\${item}"]}]}
  - {name: Ask, provider: mock, prompt: "Tag \${steps.Build.values.version} of \${steps.Build.values.count}"}
`,
    });
    const values = {
      version: 'v1.2',
      count: 42,
      green: true,
      data: { tags: ['a', 'b'] },
      list: ['x', 'y y'],
    };
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Build')).toMatchObject({ values });
    expect(workspace.step('Show').output).toBe('v1.2 a\n');
    expect(workspace.iterations('Each').map((item) => item['Say']?.output)).toEqual(['x\n', 'y y\n']);
    expect(workspace.iterations('Tags')).toHaveLength(2);
    expect(workspace.step('Ask').output).toContain('Tag v1.2 of 42');
    // From the cache too, with the files.
    workspace.remove('out');
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Build')).toMatchObject({ values, decisions: [expect.stringContaining('cache')] });
    expect(workspace.read('out/version')).toBe('v1.2\n\n');
  });

  it.each([
    ['number', 'echo 4x > f', '`f` contains `4x`, not a number'],
    ['boolean', 'echo yes > f', '`f` contains `yes`, not `true` or `false`'],
    ['json', 'echo "{" > f', '`f` is not JSON: '],
    ['lines', 'seq 1 10001 > f', '`f` has more than 10000 lines'],
    ['string', 'head -c 1048577 /dev/zero > f', '`f` is larger than 1 MiB'],
    ['string', 'true', '`f` does not exist'],
  ])('fail the step if a file is not a valid %s: %s', async (type, script, reason) => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - {name: X, script: '${script}', values: {it: {file: f, type: ${type}}}}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const { error, exit_code, outcome } = workspace.step('X');
    expect([exit_code, outcome]).toEqual([2, 'invalid-output']);
    expect(error?.message).toContain(`the value \`it\` cannot be read: ${reason}`);
  });
});
