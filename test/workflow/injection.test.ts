import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

/** Each would run `touch pwned` if it ran as code at its place. */
const HOSTILE = [
  `'; touch pwned; '`,
  `"; touch pwned; "`,
  '; touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '"$(touch pwned)"',
  `'$(touch pwned)'`,
  '&& touch pwned #',
  '| touch pwned',
  '> pwned',
  '\ntouch pwned\n',
  '\\"; touch pwned; \\"',
  "\\'; touch pwned; \\'",
  '${IFS}touch${IFS}pwned',
  '* ? [a-z] ~ {a,b} !! $HOME',
  '-n -e --help',
  '',
  ' leading and trailing ',
  'tab\there',
  '\\',
  '$',
  "it's",
];

const PLACES = ['Bare', 'Single', 'Double', 'Argument', 'Env', 'Sh', 'NoShell'] as const;

/** Steps that print the value between marks, to compare it byte by byte; names are unique in a file. */
function printing(value: string, mark: string): string {
  return `
        - {name: Bare${mark}, command: [bash, -c, "printf '<%s>' ${value}"]}
        - {name: Single${mark}, command: [bash, -c, "printf '<%s>' 'a ${value} b'"]}
        - {name: Double${mark}, command: [bash, -c, "printf '<%s>' \\"a ${value} b\\""]}
        - {name: Argument${mark}, command: [bash, -c, "printf '<%s>' \\"$0\\"", "${value}"]}
        - {name: Env${mark}, command: [env, -i, bash, -c, "printf '<%s>' ${value}"]}
        - {name: Sh${mark}, command: [sh, -ec, "x=${value}; printf '<%s>' \\"$x\\""]}
        - {name: NoShell${mark}, command: [printf, "<%s>", "${value}"]}
`;
}

function expectIntact(
  steps: { readonly [name: string]: { readonly output?: string } } | undefined,
  mark: string,
  value: string,
): void {
  expect(PLACES.map((place) => [place, steps?.[`${place}${mark}`]?.output])).toEqual(
    PLACES.map((place) => [
      place,
      place === 'Single' || place === 'Double' ? `<a ${value} b>` : `<${value}>`,
    ]),
  );
}

describe('a hostile value', () => {
  it('in an item from the JSON of a step is never code and arrives unchanged in every place of a script', async () => {
    const workspace = new Workspace({
      'values.json': JSON.stringify(HOSTILE),
      'w.yaml': `steps:
  - {name: Values, command: [cat, values.json], output_capture: json}
  - name: Loop
    for_each:
      items_from: steps.Values.json
      max_parallel: 2
      steps:${printing('${item}', '')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    for (const [index, value] of HOSTILE.entries()) {
      expectIntact(workspace.iterations('Loop')[index], '', value);
    }
    expect(workspace.has('pwned')).toBe(false);
  });

  it('in a context variable and in the output of a step is never code', async () => {
    const value = `'; touch pwned; ' $(touch pwned) "\`touch pwned\`"\n; touch pwned`;
    const workspace = new Workspace({
      'evil.txt': value,
      'w.yaml': `steps:
  - {name: Print, command: [cat, evil.txt]}
  - name: Loop
    for_each:
      items: [x]
      steps:${printing('${context.evil}', '1')}${printing('${steps.Print.output}', '2')}`,
    });
    expect(await workspace.run(['run', 'w.yaml', '--context', `evil=${value}`])).toMatchObject({
      exitCode: 0,
    });
    for (const mark of ['1', '2']) expectIntact(workspace.iterations('Loop')[0], mark, value);
    expect(workspace.has('pwned')).toBe(false);
  });

  it('in a file name from `find` is never code, also in paths and when the file is moved', async () => {
    const names = [
      "'; touch pwned; '.task",
      '$(touch pwned).task',
      'a b\tc.task',
      '-rf.task',
      '`touch pwned`.task',
    ];
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: List, command: [bash, -c, "find inbox -type f | sort"], output_capture: lines}
  - name: Loop
    for_each:
      items_from: steps.List.lines
      as: task
      on_item_complete: {success: {move_to: "processed/\${loop.index}"}}
      steps:
        - {name: Read, command: [bash, -c, "cat -- \${task} '\${task}' \\"\${task}\\""]}
        - {name: Stdin, command: [cat], input_file: "\${task}", output_file: "out/\${task}.copy"}
`,
    });
    fs.mkdirSync(path.join(workspace.folder, 'inbox'));
    for (const name of names) fs.writeFileSync(path.join(workspace.folder, 'inbox', name), `in ${name}.`);
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.list('inbox')).toEqual([]);
    expect(workspace.has('pwned')).toBe(false);
    const items = workspace.state().for_each['Loop']?.items as readonly string[];
    expect([...items].sort()).toEqual(names.map((name) => `inbox/${name}`).sort());
    for (const [index, item] of items.entries()) {
      const name = item.slice('inbox/'.length);
      expect(workspace.iterations('Loop')[index]?.['Read']?.output).toBe(`in ${name}.`.repeat(3));
      expect(workspace.read(`out/${item}.copy`)).toBe(`in ${name}.`);
      expect(workspace.read(`processed/${index}/${name}`)).toBe(`in ${name}.`);
    }
  });

  it('is rejected at load time where its place cannot be decided, with advice that works', async () => {
    const workspace = new Workspace({
      'w.yaml': `context: {x: "1"}
steps:
  - name: Heredoc
    command: [bash, -c, "cat <<'END'\\n\${context.x}\\nEND"]
  - name: Nested
    command: [bash, -c, "eval \\"echo \${context.x}\\""]
  - name: Python
    command: [python3, -c, "print(\${context.x})"]
  - name: Unclear
    script: |
      echo \${context.x}
      cat <<END "a
      END
      b"
      END
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.match(/^error\[template\/value-as-code\]/gm)).toHaveLength(4);
    expect(ended.stderr.match(/^help: .*/gm)).toEqual([
      'help: assign it to a variable first, `x=${context.x}`, and use `"$x"` in a heredoc without quotes around its delimiter',
      'help: pass it as an argument after the code, or through the environment: `["env", "x=${context.x}", …]`',
      'help: pass it as an argument after the code, or through the environment: `["env", "x=${context.x}", …]`',
      'help: write that part in another way, or move the script to a file and pass the value as an argument: `["./script.sh", "${context.x}"]`',
    ]);
    expect(workspace.runs()).toEqual([]);
  });

  it('stays data in a command substitution and in a heredoc, in every quoting and in every shell', async () => {
    const value = `it's "$(touch pwned)" \`touch pwned\` $HOME \\ ; touch pwned #\nEND\n*`;
    const scripts = [
      'printf %s "$(printf %s "${context.x}")"',
      'printf %s "$(printf %s ${context.x})"',
      'printf %s "$(printf %s \'${context.x}\')"',
      'v=$(printf %s "$(printf %s ${context.x})"); printf %s "$v"',
      'cat <<END\n${context.x}\nEND\n',
      'f() { cat <<-END\n${context.x}\n\tEND\n}; f',
    ];
    const steps = scripts.flatMap((script, index) => [
      { name: `Bash${index}`, script },
      { name: `Sh${index}`, script, shell: 'sh' },
      { name: `Command${index}`, command: ['env', 'A=b', 'bash', '-c', script] },
    ]);
    const workspace = new Workspace({ 'w.yaml': JSON.stringify({ context: { x: value }, steps }) });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    for (const { name } of steps)
      expect([name, workspace.step(name).output?.trimEnd()]).toEqual([name, value]);
    expect(workspace.has('pwned')).toBe(false);
  });

  it('cannot become code through a name computed later, as an argument of a script, or in an option that runs a command', async () => {
    const x = '${context.x}';
    const commands = [
      ['bash', '-c', `v=${x}; let n=v+1`],
      ['bash', '-c', `v=${x}; a=([v]=1)`],
      ['bash', '-c', `v=${x}; a[v + 1]=1`],
      ['env', `v=${x}`, 'bash', '-c', 'a[v + 1]=1'],
      ['bash', '-c', `v=${x}; unset 'a[v]'`],
      ['bash', '-c', `v=${x}; read 'a[v]' <<< 1`],
      ['bash', '-c', `v=${x}; declare "a[$v]=1"`],
      ['bash', '-c', `v=${x}; true & wait -n -p "$v"`],
      ['bash', '-c', `v=${x}; exec {a[v]}> /dev/null`],
      ['bash', '-c', `for SECONDS in ${x}; do true; done`],
      ['bash', '-c', `mapfile -t SECONDS <<< ${x}`],
      ['bash', '-c', `v=${x}; command $v`],
      ['bash', '-c', `v=${x}; exec $v`],
      ['bash', '-c', `v=${x}; env $v true`],
      ['bash', '-c', '[[ $1 -eq 1 ]]', '_', x],
      ['bash', '-c', 'echo $(($1))', '_', x],
      ['env', `A=${x}`, 'bash', '-c', 'echo $((A))'],
      ['npx', '-c', `echo ${x}`],
      ['npx', `--call=echo ${x}`],
      ['npm', 'exec', '-c', `echo ${x}`],
      ['git', '-c', `alias.x=!echo ${x}`, 'x'],
      ['split', `--filter=${x}`, 'w.yaml'],
      ['tar', '-I', x, '-cf', 'out', 'w.yaml'],
      ['find', '.', '-exec', 'sh', '-c', 'echo $(($1))', '_', x, ';'],
    ];
    const steps = commands.map((command, index) => ({ name: `Step${index}`, command }));
    const workspace = new Workspace({
      'w.yaml': JSON.stringify({ context: { x: 'a[$(touch pwned)]' }, steps }),
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr.match(/^error\[template\/value-as-code\]/gm)).toHaveLength(commands.length);
    expect(workspace.has('pwned')).toBe(false);
    expect(workspace.runs()).toEqual([]);
  });

  it('does not stand in the way of `wait` for processes', async () => {
    const wait = 'pids=(); true & pids+=($!); for p in "$${pids[@]}"; do wait "$p"; done; wait $!; echo "$v"';
    const workspace = new Workspace({
      'w.yaml': JSON.stringify({
        context: { x: 'a[$(touch pwned)]' },
        steps: [{ name: 'S', command: ['bash', '-c', `v=\${context.x}; ${wait}`] }],
      }),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('S').output).toBe('a[$(touch pwned)]\n');
    expect(workspace.has('pwned')).toBe(false);
  });

  it('can be used in arithmetic if the script has checked that it is a number', async () => {
    const script = "case $1 in ''|*[!0-9]*) exit 2 ;; esac; echo $(($1 * 2))";
    const steps = [{ name: 'Twice', command: ['bash', '-c', script, '_', '${context.x}'] }];
    const workspace = new Workspace({ 'w.yaml': JSON.stringify({ context: { x: '' }, steps }) });
    expect(await workspace.run(['run', 'w.yaml', '--context', 'x=21'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Twice')).toMatchObject({ output: '42\n' });
    const ended = await workspace.run(['run', 'w.yaml', '--context', 'x=a[$(touch pwned)]']);
    expect(ended.exitCode).not.toBe(0);
    expect(workspace.has('pwned')).toBe(false);
  });
});
