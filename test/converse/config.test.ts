import { describe, expect, it } from 'vitest';
import { inputSchemaProblems } from '../../src/converse/config/check-input-schema.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { Talk, text } from './rig.ts';

/** The errors reported for the files. */
async function complaint(
  files: { readonly [path: string]: string },
  words: readonly string[] = [],
): Promise<string> {
  const talk = new Talk({ says: [[text('Done.')]] });
  talk.write(files);
  const ended = await talk.converse(['run', 'talk', ...words]);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(talk.has('talk/state')).toBe(false);
  expect(talk.runs()).toEqual([]);
  return ended.stderr;
}

describe('the files of a workspace', () => {
  it('get all errors reported at once, each with its location and a suggestion', async () => {
    const said = await complaint({
      'talk/config/workflow.yaml':
        'task: Do it\nagent: cloude\nmax_iteration: 3\nroot: nowhere\ntools: [read_fil]\nlimits: {max_consecutive_errors: 0}\n',
      'talk/config/tools.yaml':
        'tools:\n  - {name: read_file, builtin: read_files}\n  - {name: both, builtin: search, command: [ls]}\n  - {name: none}\n  - {name: both, command: [ls]}\n',
      'talk/templates/base_prompt.txt': 'Do {task_descripton} now, {{literally}} {"json"}\n{unknown}\n',
    });
    for (const part of [
      'error[workflow/unknown-key]: unknown key `max_iteration`\n --> talk/config/workflow.yaml:3:1',
      'help: did you mean `max_iterations`?',
      'error[converse/unknown-agent]: unknown agent `cloude`',
      'help: did you mean `claude`?',
      'error[converse/bad-root]: `root` is `nowhere`, which is not a folder',
      'error[converse/unknown-tool]: unknown tool `read_fil`: it is not in `config/tools.yaml`',
      'error[workflow/invalid-value]: `max_consecutive_errors` is `0`, but must be at least 1',
      'error[workflow/unknown-value]: `builtin` is `read_files`, but must be',
      'error[converse/tool-kind]: tool `both` has both `command` and `builtin`',
      'error[converse/tool-kind]: tool `none` has neither `command` nor `builtin`',
      'error[converse/duplicate-tool]: duplicate tool `both`',
      'error[template/unknown-token]: unknown token `{task_descripton}`\n --> talk/templates/base_prompt.txt:1:4',
      'help: did you mean `{task_description}`?',
      'unknown token `{unknown}`',
    ])
      expect(said).toContain(part);
    expect(said).not.toContain('unknown token `{{literally}}`');
    expect(said).toContain('11 errors in 3 files');
  });

  it('are rejected if a token of a command has no input or would be read as code', async () => {
    const said = await complaint({
      'talk/config/tools.yaml': `tools:
  - name: show
    input_schema: {type: object, properties: {path: {type: string}}}
    command: [cat, "{{input.paht}}", "{{inptu.path}}"]
  - name: evaluate
    command: [node, -e, "{{input.code}}"]
  - name: schema
    input_schema: {type: object, properties: {x: {$ref: "#/nowhere"}}}
    command: [ls]
`,
    });
    expect(said).toContain('unknown input `paht`: it is not in the `input_schema` of `show`');
    expect(said).toContain('help: did you mean `{{input.path}}`?');
    expect(said).toContain('unknown token `{{inptu.path}}`');
    expect(said).toContain('error[template/value-as-code]: `{{input.code}}` is used');
    expect(said).toContain(
      'error[converse/bad-schema]: the `input_schema` of `schema` cannot be used: `#/nowhere` does not resolve at `properties.x`',
    );
  });

  it('are rejected if a value from the model would be part of a script, choose a program or become code', async () => {
    const said = await complaint({
      'talk/config/tools.yaml': `tools:
  - {name: inside, command: [bash, -c, "echo '{{input.x}}'"]}
  - {name: computed, command: [bash, -c, "echo $(($1 + 1))", _, "{{input.x}}"]}
  - {name: variable, command: [env, "N={{input.x}}", bash, -c, "[[ $N -gt 1 ]]"]}
  - {name: option, command: [git, clone, "{{input.x}}"]}
  - {name: program, command: ["{{input.x}}", all]}
  - {name: call, command: [npx, -c, "echo {{input.x}}"]}
  - {name: good, command: [bash, -c, "echo \\"$1\\"", _, "{{input.x}}"]}
`,
    });
    for (const part of [
      '`{{input.x}}` is used in a shell script, where values from the model are not allowed',
      'help: pass it as an argument of the script: `["bash", "-c", "… \\"$1\\" …", "_", "{{input.x}}"]`',
      '`{{input.x}}` is `$1` of the script and may end up inside arithmetic',
      '`{{input.x}}` is `$N` of the script and may end up inside arithmetic',
      'error[template/value-as-option]',
      'so the value would choose what runs',
      '`{{input.x}}` is used in the script of another shell',
      '6 errors in ',
    ])
      expect(said).toContain(part);
  });

  it('are rejected for every construct that would run a value of the model', async () => {
    const scripts = [
      'v=$1; let n=v+1',
      'a=([$1]=1)',
      "v=$1; unset 'a[v]'",
      "v=$1; read 'a[v]' <<< 1",
      'declare "a[$1]=1"',
      'v=$1; command $v',
      'exec $1',
      'env $1 true',
      '[[ $1 -eq 1 ]]',
      'echo $(($1))',
      'bash -c "echo $1"',
      'echo "$1" | sh',
      'eval "$1"',
      '"$@"',
      'find . -exec sh -c "$1" \\;',
    ];
    const X = '{{input.x}}';
    const commands = [
      ...scripts.map((script) => ['bash', '-c', script, '_', X]),
      ['env', `A=${X}`, 'bash', '-c', 'echo $((A))'],
      ['env', '-S', X],
      ['env', `BASH_ENV=${X}`, 'bash', '-c', 'true'],
      ['npx', '-c', X],
      ['npx', `--call=${X}`],
      ['npm', 'exec', '-c', X],
      ['git', '-c', `alias.x=!${X}`, 'x'],
      ['git', '-c', X, 'status'],
      ['split', '--filter', X],
      ['tar', '-I', X, '-cf', 'out', '.'],
      ['find', '.', '-exec', 'sh', '-c', X, ';'],
      ['find', '.', X],
      ['rg', X],
      ['python3', '-c', X],
    ];
    const tools = commands.map((command, index) => ({ name: `tool-${index}`, command }));
    const said = await complaint({ 'talk/config/tools.yaml': JSON.stringify({ tools }) });
    const lines = said.match(/config\/tools\.yaml:\d+:\d+/g);
    expect(said).toContain(`${commands.length} errors in `);
    expect(new Set(lines).size).toBe(commands.length);
  });

  it.each([
    ['no YAML', { 'talk/config/workflow.yaml': 'task: "open' }, 'error[yaml/syntax]'],
    ['empty', { 'talk/config/workflow.yaml': '# nothing\n' }, 'is empty; expected a workflow'],
    [
      'a template that is missing',
      { 'talk/config/workflow.yaml': 'task: x\ntemplates: {base_prompt: gone.txt}\n' },
      'error[converse/bad-template]',
    ],
    [
      'a template outside',
      { 'talk/config/workflow.yaml': 'task: x\ntemplates: {base_prompt: ../secret.txt}\n' },
      'contains `..`',
    ],
  ])('are refused with %s', async (_, files, part) => {
    expect(await complaint(files as unknown as { [path: string]: string })).toContain(part);
  });

  it('may contain the tools as a bare list', async () => {
    const workspace = new Workspace({
      'talk/config/workflow.yaml': 'task: x\nagent: mock\n',
      'talk/config/tools.yaml': '- {name: look, builtin: list_files}\n',
    });
    expect(await workspace.run(['converse', 'run', 'talk', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(workspace.read('talk/state/tool_results.json')).toContain('"tool_name": "look"');
  });

  it('may omit almost everything', async () => {
    const workspace = new Workspace({ 'talk/config/workflow.yaml': 'task: Say hello\nagent: mock\n' });
    expect(await workspace.run(['converse', 'run', 'talk'])).toMatchObject({ exitCode: 0 });
  });

  it('are required: without them, the message shows how to create them', async () => {
    const workspace = new Workspace({ 'empty/x': '' });
    expect(await workspace.run(['converse', 'run', 'empty'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'create the files of a workspace with `orchestrate converse init empty`',
      ),
    });
    expect(await workspace.run(['converse', 'run', 'none'])).toMatchObject({ exitCode: 2 });
  });

  it('need a task, here or on the command line', async () => {
    expect(await complaint({ 'talk/config/workflow.yaml': 'agent: mock\n' })).toContain('no task given');
    expect(await complaint({}, ['--agent', 'nobody'])).toMatch(/unknown agent `nobody`[\s\S]*\n\n1 error\n$/);
  });
});

describe('init', () => {
  it.each(['basic', 'data-analysis', 'mock'])(
    'creates the workspace `%s`, which can do a dry run without a key',
    async (name) => {
      const workspace = new Workspace();
      const made = await workspace.run(['converse', 'init', 'talk', '--template', name]);
      expect(made.exitCode).toBe(0);
      expect(made.stdout).toContain(
        'talk/config/workflow.yaml\ntalk/config/tools.yaml\ntalk/templates/base_prompt.txt\n',
      );
      expect(workspace.list('talk')).not.toContain('state');
      const ran = await workspace.run(['converse', 'run', 'talk', '--dry-run']);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      expect(workspace.list('talk/prompts').length).toBeGreaterThan(1);
    },
  );

  it('creates a scripted conversation that runs', async () => {
    const workspace = new Workspace();
    await workspace.run(['converse', 'init', 'talk', '--template', 'mock']);
    expect(await workspace.run(['converse', 'run', 'talk'])).toMatchObject({
      exitCode: 0,
      stdout: 'The report is in report.md.\n',
    });
    expect(workspace.read('talk/report.md')).toBe('notes.txt has 2 lines.\n');
  });

  it('overwrites nothing', async () => {
    const workspace = new Workspace({ 'talk/config/tools.yaml': 'mine' });
    expect(await workspace.run(['converse', 'init', 'talk'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('`talk/config/tools.yaml` already exists'),
    });
    expect(workspace.list('talk/config')).toEqual(['tools.yaml']);
  });
});

describe('an input_schema', () => {
  it.each([
    [{ type: 'object', properties: { x: { type: 'strng' } } }, 'unknown type `strng` at `properties.x`'],
    [{ type: 'string' }, 'the `type` of a tool input must be `object`'],
    [{ properties: { x: 5 } }, 'a schema must be a mapping, not `5` at `properties.x`'],
    [{ properties: { x: { pattern: '(' } } }, '`(` is not a valid regular expression at `properties.x`'],
    [{ anyOf: [{}, { $ref: 'elsewhere.json' }] }, '`elsewhere.json` does not resolve at `anyOf.1`'],
    [{ required: 'x' }, '`required` must be a list of names'],
    [{ properties: [] }, '`properties` must be a mapping of schemas'],
  ])('that is unusable is reported: %j', (schema, problem) => {
    expect(inputSchemaProblems(schema)).toContain(problem);
  });

  it('of a common form is accepted', () => {
    const schema = {
      $defs: { 'a/b': { type: ['string', 'null'], pattern: '^\\w+$' } },
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b' }, y: { type: 'array', items: [true, { type: 'integer' }] } },
      required: ['x'],
      additionalProperties: false,
    };
    expect(inputSchemaProblems(schema)).toEqual([]);
  });
});
