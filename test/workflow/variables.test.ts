import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { startedSteps } from './runs.ts';

/** A step that prints its arguments, one per line, available as `steps.<name>.lines`. */
function say(name: string, ...texts: readonly string[]): string {
  const argv = ['printf', '%s\\n', ...texts].map((text) => JSON.stringify(text)).join(', ');
  return `  - name: ${name}\n    command: [${argv}]\n    output_capture: lines\n`;
}

describe('variables', () => {
  it('of the run, steps and context are substituted in commands, paths, globs and conditions', async () => {
    const workspace = new Workspace({
      'in/report.md': 'the report',
      'w.yaml': `context:
  word: hello
  number: 3
  yes: true
  nothing: null
  deep: {list: [a, {b: c}]}
  folder: in
steps:
${say('Run', '${run.id}', '${run.timestamp_utc}', '${run.root}')}${say(
  'Context',
  '${context.word}',
  '${context.number}',
  '${context.yes}',
  '${context.nothing}',
  '${context.deep}',
  '${context.deep.list.1.b}',
  'a-${context.word}-b',
)}  - name: Text
    command: [bash, -c, "echo one; echo two; exit 0"]
  - name: Lines
    command: [printf, "x\\ny z\\n"]
    output_capture: lines
  - name: Json
    command: [echo, '{"a": {"b": [1, "two", true]}}']
    output_capture: json
${say(
  'Steps',
  '${steps.Text.exit_code}',
  '${steps.Text.outcome}',
  '${steps.Text.output}',
  '${steps.Lines.lines}',
  '${steps.Lines.lines.1}',
  '${steps.Json.json}',
  '${steps.Json.json.a.b.1}',
  '${steps.Json.json.a.b.2}',
)}${say('Times', '${steps.Text.duration}', '${steps.Text.duration_ms}')}  - name: Path
    command: [cat]
    input_file: "\${context.folder}/report.md"
    output_file: "out/\${context.word}/\${steps.Json.json.a.b.0}.txt"
  - name: Glob
    when: {exists: "\${context.folder}/*.md"}
    wait_for: {glob: "\${context.folder}/r*.md", timeout_sec: 1}
${say('Files', '${steps.Glob.files}', '${steps.Glob.files.0}')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const [id] = workspace.runs();
    const lines = (name: string) => workspace.step(name).lines;
    expect(lines('Run')).toEqual([id, id?.slice(0, 16), `.orchestrate/runs/${id}`]);
    expect(lines('Context')).toEqual([
      ...['hello', '3', 'true', 'null', '{"list":["a",{"b":"c"}]}', 'c', 'a-hello-b'],
    ]);
    // `output` is used without its final newline; lines are joined by newlines into one argument.
    expect(lines('Steps')).toEqual([
      ...['0', 'done', 'one', 'two', 'x', 'y z', 'y z', '{"a":{"b":[1,"two",true]}}', 'two', 'true'],
    ]);
    const { duration_ms: ms = -1 } = workspace.step('Text');
    expect(lines('Times')).toEqual([String(ms / 1000), String(ms)]);
    expect(workspace.read('out/hello/1.txt')).toBe('the report');
    expect(lines('Files')).toEqual(['["in/report.md"]', 'in/report.md']);
  });

  it('of agents: session, cost, outcome', async () => {
    const workspace = new Workspace({
      'p.md': 'Go.',
      'w.yaml': `providers:
  priced: {adapter: mock, script: {answer: ok, cost_usd: 0.25}}
  unpriced: {command: [cat], input_mode: stdin}
steps:
  - {name: A, provider: priced, input_file: p.md}
  - {name: B, provider: unpriced, input_file: p.md}
${say('See', '${steps.A.cost_usd}', '${steps.A.outcome}', '${steps.A.session_id}', '${steps.A.output}', '${steps.B.cost_usd}', '${steps.B.output}')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('See').lines).toEqual([
      ...['0.25', 'done', expect.stringMatching(/^mock-/), 'ok', 'unknown', 'Go.'],
    ]);
  });

  it('of loops: the item by name and as `item`, also of enclosing loops, and the index and total of the innermost', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Outer
    for_each:
      items: [{name: ann, tags: [x]}, {name: bob, tags: [y]}]
      as: person
      steps:
        - name: Inner
          for_each:
            items: ["\${person.name}-1", "\${person.name}-2"]
            as: word
            steps:
              - name: Say
                command: [printf, "%s|", "\${person.name}", "\${word}", "\${item}", "\${loop.index}/\${loop.total}", "\${person.tags}"]
        - name: Again
          repeat:
            until: {equals: {left: "\${iteration}", right: "1"}}
            steps:
              - name: Turn
                command: [printf, "%s|", "\${person.name}", "\${item.name}", "\${iteration}", "\${loop.index}"]
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const outer = workspace.state().steps['Outer'] as unknown as {
      Inner: { Say: { output: string } }[];
      Again: { iterations: { Turn: { output: string } }[] };
    }[];
    expect(outer.map(({ Inner }) => Inner.map(({ Say }) => Say.output))).toEqual([
      ['ann|ann-1|ann-1|0/2|["x"]|', 'ann|ann-2|ann-2|1/2|["x"]|'],
      ['bob|bob-1|bob-1|0/2|["y"]|', 'bob|bob-2|bob-2|1/2|["y"]|'],
    ]);
    expect(outer.map(({ Again }) => Again.iterations.map(({ Turn }) => Turn.output))).toEqual([
      ['ann|ann|0|0|', 'ann|ann|1|1|'],
      ['bob|bob|0|0|', 'bob|bob|1|1|'],
    ]);
  });

  it('without a value fail the step with exit code 2 before any process starts, and are all reported', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {a: {b: 1}}
steps:
  - name: Json
    command: [echo, '{}']
    output_capture: json
  - name: Skipped
    when: {equals: {left: a, right: b}}
    command: [echo, x]
  - name: Use
    command: [touch, made, "\${steps.Json.json.no}", "\${context.a.no}", "\${steps.Skipped.output}"]
    on: {failure: {goto: When}}
  - name: When
    when: {equals: {left: "\${steps.Json.json.no}", right: x}}
    command: [touch, made]
    on: {failure: {goto: Path}}
  - name: Path
    command: [touch, made]
    output_file: "\${steps.Json.json.no}.txt"
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Use')).toMatchObject({
      status: 'failed',
      exit_code: 2,
      outcome: 'undefined-variables',
      error: {
        message: 'no value for `${steps.Json.json.no}`, `${context.a.no}`, `${steps.Skipped.output}`',
        exit_code: 2,
        context: { undefined_vars: ['steps.Json.json.no', 'context.a.no', 'steps.Skipped.output'] },
      },
    });
    for (const name of ['When', 'Path']) {
      expect(workspace.step(name)).toMatchObject({
        exit_code: 2,
        error: { context: { undefined_vars: ['steps.Json.json.no'] } },
      });
    }
    expect(startedSteps(workspace)).toEqual(['Json']);
    expect(workspace.has('made')).toBe(false);
  });

  it('are written literally with `$$`', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {a: A}\nsteps:\n${say('X', '$$', '$${context.a}', '$$${context.a}', 'cost: $5', '$HOME')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X').lines).toEqual(['$', '${context.a}', '$A', 'cost: $5', '$HOME']);
  });

  it('are compared as text: JSON booleans and numbers as JSON text, objects and lists as compact JSON', async () => {
    const json = '{"t": true, "n": 3, "f": 1.50, "s": "3", "z": null, "o": {"b": 1, "a": [1, 2]}, "e": ""}';
    const cases = [
      ['${steps.J.json.t}', 'true', true],
      ['${steps.J.json.t}', 'True', false],
      ['${steps.J.json.n}', '3', true],
      ['${steps.J.json.n}', '${steps.J.json.s}', true],
      ['${steps.J.json.n}', '3.0', false],
      ['${steps.J.json.f}', '1.5', true],
      ['${steps.J.json.z}', 'null', true],
      ['${steps.J.json.o}', '{"b":1,"a":[1,2]}', true],
      ['${steps.J.json.o.a}', '[1,2]', true],
      ['${steps.J.json.e}', '', true],
      ['x${steps.J.json.n}y', 'x3y', true],
      ['a', 'A', false],
      ['a ', 'a', false],
    ] as const;
    const steps = cases.map(
      ([left, right], index) =>
        `  - name: S${index}\n    command: ["true"]\n    when: {equals: {left: '${left}', right: '${right}'}}\n`,
    );
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - name: J\n    command: [echo, '${json}']\n    output_capture: json\n${steps.join('')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(cases.map(([l, r], index) => [l, r, workspace.step(`S${index}`).status === 'completed'])).toEqual(
      cases,
    );
  });

  it('of the context come from `--context` before `--context-file` before the file', async () => {
    const workspace = new Workspace({
      'c.json': '{"b": "from the context file", "c": "from the context file", "list": [1, 2]}',
      'w.yaml': `context: {a: from the workflow, b: from the workflow, c: from the workflow}\nsteps:\n${say('X', '${context.a}', '${context.b}', '${context.c}', '${context.list}', '${context.d}')}`,
    });
    const flags = ['--context-file', 'c.json', '--context', 'c=a=b', '--context', 'd='];
    expect(await workspace.run(['run', 'w.yaml', ...flags])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X').lines).toEqual([
      ...['from the workflow', 'from the context file', 'a=b', '[1,2]', ''],
    ]);
    expect(workspace.state()['context']).toEqual({
      ...{ a: 'from the workflow', b: 'from the context file', c: 'a=b', d: '', list: [1, 2] },
    });
    for (const wrong of [
      ['--context', 'novalue'],
      ['--context', 'a b=c'],
      ['--context-file', 'missing.json'],
      ['--context-file', 'w.yaml'],
    ]) {
      const ended = await workspace.run(['run', 'w.yaml', ...flags, ...wrong]);
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toMatch(/^error: .*context/);
    }
    expect(workspace.runs()).toHaveLength(1);
  });

  it('are not substituted in the contents of files and in `env`', async () => {
    const workspace = new Workspace({
      'prompt.md': 'Analyse ${context.a} for $HOME and ${steps.X.output}.\n',
      'w.yaml': `context: {a: A}
providers:
  echo: {command: [printf, "%s", "\${PROMPT}"]}
steps:
  - name: Prompt
    provider: echo
    input_file: prompt.md
  - name: Stdin
    command: [cat]
    input_file: prompt.md
  - name: Env
    command: [printenv, LEVEL]
    env: {LEVEL: "\${context.a} $HOME"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const prompt = workspace.read('prompt.md');
    expect(workspace.step('Prompt').output).toBe(prompt);
    expect(workspace.step('Stdin').output).toBe(prompt);
    expect(workspace.step('Env').output).toBe('${context.a} $HOME\n');
  });

  it('that are invalid at load time prevent the start', async () => {
    const texts = [
      '${steps.Nobody.output}',
      '${step.X.output}',
      '${context.missing}',
      '${item}',
      '${loop.index}',
      '${run.user}',
      '${env.HOME}',
      '${steps.X.lines}',
      '${unclosed',
      '${}',
    ];
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - name: X\n    command: [touch, made]\n${say('Y', ...texts)}`,
    });
    const { exitCode, stderr } = await workspace.run(['run', 'w.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr.match(/^error\[template\/[a-z-]+\]/gm)).toHaveLength(texts.length);
    expect(workspace.has('made')).toBe(false);
    expect(workspace.has('.orchestrate')).toBe(false);
  });
});

describe('the output of a step as a value', () => {
  it('is used without its final newlines, in commands, conditions and contexts; state keeps them', async () => {
    const workspace = new Workspace({
      'version.txt': '1.2.3\n\n',
      'w.yaml': `steps:
  - {name: Version, command: [cat, version.txt]}
  - {name: One, command: [cat, version.txt], output_capture: lines}
${say('Say', 'v${steps.Version.output}!')}  - name: Same
    command: ["true"]
    when: {equals: {left: "\${steps.Version.output}", right: "1.2.3"}}
  - {name: Line, command: [echo, only], output_capture: lines}
  - name: SameLine
    command: ["true"]
    when: {equals: {left: "\${steps.Line.lines}", right: only}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Say').lines).toEqual(['v1.2.3!']);
    expect(workspace.step('Version').output).toBe('1.2.3\n\n');
    expect(workspace.step('Same').status).toBe('completed');
    expect(workspace.step('SameLine').status).toBe('completed');
  });

  it('is never used in part: a truncated value fails the step that uses it', async () => {
    const used = (
      name: string,
      key: string,
    ) => `  - {name: ${name}, ${key}, on: {failure: {goto: After${name}}}}
  - {name: After${name}, command: ["true"]}
`;
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Long, command: [bash, -c, "head -c 9000 /dev/zero | tr '\\\\0' x"]}
  - {name: Many, command: [seq, "10001"], output_capture: lines}
${used('Command', 'command: [echo, "${steps.Long.output}"]')}${used(
  'Condition',
  'command: ["true"], when: {equals: {left: "${steps.Long.output}", right: x}}',
)}${used('Lines', 'command: [echo, "${steps.Many.lines}"]')}${used(
  'Loop',
  'for_each: {items_from: steps.Many.lines, steps: [{name: In, command: [touch, made]}]}',
)}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const cut =
      '`steps.Long.output` was truncated after 8 KiB: write it to an `output_file`, or capture `lines` or `json`';
    for (const name of ['Command', 'Condition'])
      expect(workspace.step(name), name).toMatchObject({
        status: 'failed',
        exit_code: 2,
        error: { message: cut },
      });
    expect(workspace.step('Lines').error?.message).toBe(
      '`steps.Many.lines` was truncated after 10,000 lines',
    );
    expect(workspace.step('Loop').error?.message).toContain(
      '`steps.Many.lines` was truncated after 10,000 lines',
    );
    expect(workspace.has('made')).toBe(false);
  });
});

describe('a truncated output', () => {
  const long = `  - {name: Long, command: [bash, -c, "head -c 9000 /dev/zero | tr '\\\\0' x"]}\n`;

  it('does not reach the command of a provider', async () => {
    const workspace = new Workspace({
      'w.yaml': `providers:
  p: {command: [touch, "made-\${PROMPT}", "\${steps.Long.output}"]}
steps:
${long}  - {name: Ask, provider: p}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Ask')).toMatchObject({ status: 'failed', exit_code: 2, attempts: 0 });
    expect(workspace.list('.').filter((name) => name.startsWith('made'))).toEqual([]);
  });

  it('is marked in a question, which it does not stop', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n${long}  - {name: Agree, approve: {message: "Plan: \${steps.Long.output}"}}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 3 });
    expect(workspace.state().waiting_for?.['Agree']?.message).toMatch(/^Plan: x{8192}… \(truncated\)$/);
  });
});

describe('`${name:-text}`', () => {
  it('gives a default for a context key, a JSON key and a step without a result', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {set: yes}
steps:
  - {name: Json, command: [echo, '{"a": null}'], output_capture: json}
  - {name: Never, command: ["true"], when: {equals: {left: a, right: b}}}
${say('Say', '${context.set:-no}', '${context.given:-none, at all}', '${steps.Json.json.b:-0}', '${steps.Never.output:-}', '${steps.Json.json.a:-x}')}`,
    });
    expect(await workspace.run(['validate', 'w.yaml'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Say').lines).toEqual(['yes', 'none, at all', '0', '', 'null']);
    expect(await workspace.run(['run', 'w.yaml', '--context', 'given=this'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Say').lines?.[1]).toBe('this');
  });
});

describe('a list of the context', () => {
  it('is looped over by name and by variable', async () => {
    const loop = (name: string, items: string) =>
      `  - name: ${name}\n    for_each:\n      ${items}\n      steps: [{name: In${name}, command: [bash, -c, "echo \${item} >> ${name}.log"]}]\n`;
    const workspace = new Workspace({
      'w.yaml': `context: {sizes: [s, m, 10], text: none}
steps:
${loop('ByName', 'items_from: context.sizes')}${loop('ByVariable', 'items: "${context.sizes}"')}`,
      'bad.yaml': `context: {text: none}\nsteps:\n${loop('Bad', 'items: "${context.text}"')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    for (const name of ['ByName', 'ByVariable']) expect(workspace.read(`${name}.log`)).toBe('s\nm\n10\n');
    expect(await workspace.run(['run', 'bad.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Bad').error?.message).toContain('is not an array');
  });
});

describe('`run.root`', () => {
  it.each([
    [
      'command',
      `command: [node, -p, "JSON.parse(fs.readFileSync('\${run.root}/state.json')).steps.First.output"]`,
    ],
    [
      'script',
      `script: node -p "JSON.parse(fs.readFileSync(process.argv[1])).steps.First.output" "\${run.root}/state.json"`,
    ],
  ])('leads a %s to a `state.json` with all steps before it, from the first moment', async (_, second) => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: First, command: [echo, here]}
  - name: Second
    ${second}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Second').output).toBe('here\n\n');
  });
});
