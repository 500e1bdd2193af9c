import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';

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

  it('are not taken from a file that the step did not write', async () => {
    const workspace = new Workspace({
      'count.txt': '41',
      'w.yaml': `steps:
  - {name: Count, command: ["true"], values: {n: {file: count.txt, type: number}}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Count').error?.message).toBe(
      'the value `n` cannot be read: `count.txt` was there before, and the step did not write it (`fresh: false` reads it anyway)',
    );
    for (const script of ['echo 41 > count.txt', 'cp -p count.txt x && mv x count.txt', 'touch count.txt']) {
      workspace.write({
        'w.yaml': `steps: [{name: Count, script: "${script}", values: {n: {file: count.txt, type: number}}}]\n`,
      });
      expect(await workspace.run(['run', 'w.yaml']), script).toMatchObject({ exitCode: 0 });
      expect(workspace.step('Count').values, script).toEqual({ n: 41 });
    }
    workspace.write({
      'w.yaml':
        'steps: [{name: Count, command: ["true"], values: {n: {file: count.txt, type: number, fresh: false}}}]\n',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  });

  it('are not taken from a file that the step before has only just written', async () => {
    const workflow = (script: string) => `steps:
  - {name: Before, script: "echo 41 > count.txt"}
  - {name: Count, script: "${script}", values: {n: {file: count.txt, type: number}}}
`;
    const workspace = new Workspace({ 'w.yaml': workflow(':') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Count').error?.message).toContain('the step did not write it');
    workspace.write({ 'w.yaml': workflow('echo 41 > count.txt') });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Count').values).toEqual({ n: 41 });
  });

  it('that the first attempt wrote count, also after a kill', async () => {
    const workspace = new Workspace({
      n: 'old',
      'w.yaml': `steps:
  - name: Write
    script: |
      if [ -e begun ]; then exit 0; fi
      echo new > n
      touch begun
      while :; do sleep 0.05; done
    values: {n: {file: n}}
`,
    });
    const run = workspace.start(['run', 'w.yaml', '--quiet']);
    await until(() => workspace.has('begun'));
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Write').values).toEqual({ n: 'new' });
  });

  it('of a replayed agent are read from the files that are there', async () => {
    const workspace = new Workspace({
      n: '7',
      'w.yaml': `providers: {mock: {script: {files: {n: "7"}}}}
steps: [{name: Ask, provider: mock, prompt: Count., values: {n: {file: n, type: number}}}]
`,
    });
    expect(await workspace.run(['run', 'w.yaml', '--record'])).toMatchObject({ exitCode: 0 });
    expect(await workspace.run(['run', 'w.yaml', '--replay', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Ask').values).toEqual({ n: 7 });
  });
});
