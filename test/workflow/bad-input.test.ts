import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const MARK = '{name: Mark, command: [touch, STARTED]}';
const one = (step: string) => `steps:\n  - ${MARK}\n  - ${step}\n`;

/** Files that must be rejected, each with the code of its mistake. */
const BAD: readonly (readonly [name: string, code: string, yaml: string])[] = [
  ['unknown key', 'workflow/unknown-key', one('{name: X, comand: [ls]}')],
  ['unknown top-level key', 'workflow/unknown-key', `stepz: []\nsteps:\n  - ${MARK}\n`],
  ['wrong type', 'workflow/wrong-type', one('{name: X, command: ls}')],
  ['wrong type of a number', 'workflow/wrong-type', one('{name: X, command: [ls], timeout_sec: soon}')],
  ['number out of range', 'workflow/invalid-value', one('{name: X, command: [ls], retries: {max: -1}}')],
  ['unknown word', 'workflow/unknown-value', one('{name: X, command: [ls], output_capture: xml}')],
  ['no steps', 'workflow/missing-key', 'name: x\n'],
  ['nothing to do', 'workflow/step-kind', one('{name: X}')],
  ['two things to do', 'workflow/step-kind', one('{name: X, command: [ls], approve: {message: m}}')],
  ['duplicate name', 'workflow/duplicate-step', one(MARK)],
  [
    'duplicate name in a loop',
    'workflow/duplicate-step',
    one(`{name: L, for_each: {items: [a], steps: [${MARK}]}}`),
  ],
  [
    'missing goto target',
    'workflow/unknown-goto',
    one('{name: X, command: [ls], on: {success: {goto: Nowhere}}}'),
  ],
  [
    'goto into a loop',
    'workflow/unknown-goto',
    one(
      '{name: X, command: [ls], on: {always: {goto: In}}}\n  - {name: L, for_each: {items: [a], steps: [{name: In, command: [ls]}]}}',
    ),
  ],
  ['undefined step', 'template/unknown-step', one('{name: X, command: [echo, "${steps.Y.output}"]}')],
  ['undefined context', 'template/unknown-context', one('{name: X, command: [echo, "${context.y}"]}')],
  [
    'bad pointer',
    'workflow/invalid-value',
    one('{name: X, for_each: {items_from: steps.Mark.output, steps: [{name: I, command: [ls]}]}}'),
  ],
  [
    'pointer to lines that are not kept',
    'template/not-captured',
    one('{name: X, for_each: {items_from: steps.Mark.lines, steps: [{name: I, command: [ls]}]}}'),
  ],
  [
    'pointer with an empty part',
    'workflow/invalid-value',
    one('{name: X, for_each: {items_from: "steps.Mark.json..a", steps: [{name: I, command: [ls]}]}}'),
  ],
  ['absolute path', 'workflow/absolute-path', one('{name: X, command: [ls], output_file: /tmp/x}')],
  ['path upwards', 'workflow/parent-path', one('{name: X, command: [ls], output_file: a/../../x}')],
  ['glob upwards', 'workflow/parent-path', one('{name: X, wait_for: {glob: "../*"}}')],
  [
    'link out of the workspace',
    'workflow/link-leaves-workspace',
    one('{name: X, command: [cat], input_file: door/hosts}'),
  ],
  ['call of itself', 'workflow/call-cycle', one('{name: X, call: {workflow: THIS}}')],
  ['call of nothing', 'workflow/call-not-found', one('{name: X, call: {workflow: nothing.yaml}}')],
  ['unknown provider', 'workflow/unknown-provider', one('{name: X, provider: nobody, input_file: p.md}')],
  ['not UTF-8', 'yaml/not-utf8', 'BYTES'],
  ['empty', 'workflow/empty', ''],
  ['only a comment', 'workflow/empty', '# nothing\n'],
  ['not YAML', 'yaml/syntax', 'steps: [oops\n'],
  ['a list', 'workflow/wrong-type', '- a\n'],
  ['duplicate key', 'yaml/duplicate-key', `steps: [${MARK}]\nsteps:\n  - ${MARK}\n`],
  ['alias bomb', 'yaml/too-many-aliases', bomb()],
  ['deep nesting', 'yaml/too-deep', `steps: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
  ['50 MB', 'workflow/too-large', 'HUGE'],
  ['tag', 'yaml/unknown-tag', one('{name: X, command: !!js/function "x"}')],
];

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 10; i += 1)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return `context:\n  ${lines.join('\n  ')}\nsteps:\n  - ${MARK}\n`;
}

/** Every file with its contents, mode and time; nothing may change. */
function snapshot(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const stat = fs.lstatSync(file);
      const contents = stat.isFile() ? createHash('sha256').update(fs.readFileSync(file)).digest('hex') : '';
      return `${name} ${stat.mode} ${stat.mtimeMs} ${contents}`;
    });
}

describe('an invalid workflow file', () => {
  it('is rejected with exit code 2 and a diagnostic with its place, and the workspace does not change', async () => {
    const workspace = new Workspace({ 'p.md': 'prompt' });
    const outside = new Workspace({ hosts: '' });
    fs.symlinkSync(outside.folder, path.join(workspace.folder, 'door'));
    const files = BAD.map(([, , yaml], index) => {
      const file = `bad-${index}.yaml`;
      const text = yaml.replace('THIS', file);
      const bytes =
        text === 'BYTES'
          ? Buffer.from([0x73, 0x3a, 0x20, 0xff, 0xfe, 0x0a])
          : text === 'HUGE'
            ? Buffer.alloc(50_000_000, 'steps: []  # filler\n')
            : text;
      fs.writeFileSync(path.join(workspace.folder, file), bytes);
      return file;
    });
    const before = snapshot(workspace.folder);
    const seen = new Array<readonly unknown[]>(BAD.length);
    const open = [...BAD.entries()];
    const lane = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined; next = open.shift()) {
        const [index, [name]] = next;
        const { exitCode, stdout, stderr } = await workspace.run(['run', files[index] ?? '']);
        const [, code] = /^error\[([a-z0-9/-]+)\]: \S/.exec(stderr) ?? [];
        const isPlaced = stderr.includes(`--> ${files[index]}`);
        seen[index] = [name, exitCode, code, isPlaced, stdout];
      }
    };
    await Promise.all([lane(), lane()]);
    // A mistake in the whole file has no line to show.
    const whole = ['workflow/too-large', 'workflow/empty', 'yaml/not-utf8'];
    expect(seen.map(([name, exitCode, code]) => [name, exitCode, code])).toEqual(
      BAD.map(([name, code]) => [name, 2, code]),
    );
    for (const [name, , code, isPlaced, stdout] of seen) {
      expect([name, isPlaced || whole.includes(String(code)), stdout]).toEqual([name, true, '']);
    }
    expect(snapshot(workspace.folder)).toEqual(before);
  });

  it('reports all mistakes at once, in file order', async () => {
    const workspace = new Workspace({
      'w.yaml': `nmae: x
steps:
  - name: A
    command: ls
  - name: A
    command: [echo, "\${steps.B.output}"]
    output_file: ../x
    on: {success: {goto: C}}
`,
    });
    const { exitCode, stderr } = await workspace.run(['run', 'w.yaml']);
    expect(exitCode).toBe(2);
    expect(
      [...stderr.matchAll(/^error\[([a-z/-]+)\][\s\S]*?--> w\.yaml:(\d+)/gm)].map(([, code, line]) => [
        code,
        line,
      ]),
    ).toEqual([
      ['workflow/unknown-key', '1'],
      ['workflow/wrong-type', '4'],
      ['workflow/duplicate-step', '5'],
      ['template/unknown-step', '6'],
      ['workflow/parent-path', '7'],
      ['workflow/unknown-goto', '8'],
    ]);
    expect(stderr).toContain('help: did you mean `name`?');
    expect(stderr.endsWith('6 errors in w.yaml\n')).toBe(true);
    expect(workspace.list('')).toEqual(['w.yaml']);
  });

  it('is distinguished from valid ones by `validate`, also as JSON', async () => {
    const workspace = new Workspace({ 'good.yaml': `steps:\n  - ${MARK}\n`, 'bad.yaml': 'steps: 3\n' });
    const both = await workspace.run(['validate', 'good.yaml', 'bad.yaml']);
    expect([both.exitCode, both.stdout]).toEqual([2, 'good.yaml: ok\n']);
    expect(both.stderr).toContain('error[workflow/wrong-type]');
    const json = await workspace.run(['validate', '--json', 'good.yaml', 'bad.yaml']);
    expect([json.exitCode, JSON.parse(json.stdout)]).toMatchObject([
      2,
      [
        { file: 'good.yaml', ok: true, diagnostics: [] },
        { file: 'bad.yaml', ok: false, diagnostics: [{ code: 'workflow/wrong-type', line: 1, column: 8 }] },
      ],
    ]);
    expect(await workspace.run(['validate', 'good.yaml'])).toMatchObject({ exitCode: 0 });
  });
});

describe('invalid flags', () => {
  it('are rejected with exit code 2 before anything starts', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - ${MARK}\n`,
      'up.yaml': `processed_dir: a/../..\nsteps:\n  - ${MARK}\n`,
    });
    for (const argv of [
      ['run'],
      ['run', 'nothing.yaml'],
      ['run', 'w.yaml', '--nonsense'],
      ['run', 'w.yaml', '--on-error', 'maybe'],
      ['run', 'w.yaml', '--max-retries', 'many'],
      ['run', 'w.yaml', '--record', '--replay', 'x'],
      ['run', 'w.yaml', '--archive-processed', 'processed/x.zip'],
      ['run', 'up.yaml', '--clean-processed'],
      ['rnu', 'w.yaml'],
      ['fork', 'last'],
    ]) {
      const { exitCode, stderr } = await workspace.run(argv);
      expect([argv, exitCode, stderr.length > 10]).toEqual([argv, 2, true]);
    }
    expect(workspace.list('')).toEqual(['up.yaml', 'w.yaml']);
  });
});
