import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

describe('the top-level `env`', () => {
  it('reaches every command and agent, and a step has precedence', async () => {
    const workspace = new Workspace({
      'w.yaml': `env: {A: one, B: two}
providers:
  shell: {command: [bash, -c, 'printf "%s-%s" "$A" "$B"; : "$0"', "\${PROMPT}"]}
steps:
  - {name: Plain, command: [bash, -c, 'printf "%s-%s" "$A" "$B"']}
  - {name: Own, command: [bash, -c, 'printf "%s-%s" "$A" "$B"'], env: {B: three}}
  - {name: Agent, provider: shell}
  - name: Loop
    for_each:
      items: [1]
      steps:
        - {name: Inner, command: [bash, -c, 'printf "%s-%s" "$A" "$B"']}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(['Plain', 'Own', 'Agent'].map((name) => workspace.step(name).output)).toEqual([
      'one-two',
      'one-three',
      'one-two',
    ]);
    expect(workspace.iterations('Loop')[0]?.['Inner']?.output).toBe('one-two');
  });

  it('is not passed to a called workflow, which has its own', async () => {
    const workspace = new Workspace({
      'called.yaml': `env: {B: called}
steps:
  - {name: Show, command: [bash, -c, 'env | grep -E "^[AB]=" > seen']}
`,
      'w.yaml': `env: {A: one, B: two}
steps:
  - {name: Call, call: {workflow: called.yaml}}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.read('seen')).toBe('B=called\n');
  });
});

describe('`defaults`', () => {
  it('apply to steps that do not set the key', async () => {
    const workspace = new Workspace({
      'w.yaml': `defaults: {output_capture: lines, retries: {max: 1, delay_ms: 1}}
steps:
  - {name: Lines, command: [printf, 'a\\nb\\n']}
  - {name: Text, command: [printf, 'a\\nb\\n'], output_capture: text}
  - {name: Retried, command: [bash, -c, 'echo x >> tries; test "$(wc -l < tries)" = 2']}
  - {name: Once, command: [bash, -c, 'echo x >> once; exit 1'], retries: 0, on: {failure: {goto: _end}}}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Lines').lines).toEqual(['a', 'b']);
    expect(workspace.step('Text').output).toBe('a\nb\n');
    expect([workspace.read('tries'), workspace.read('once')]).toEqual(['x\nx\n', 'x\n']);
  });

  it('limit the time of commands and agents; a provider and a step have precedence', async () => {
    const workspace = new Workspace({
      'w.yaml': `defaults: {timeout_sec: 0.2, retries: 0}
providers:
  slow: {command: [sleep, "60"], input_mode: stdin}
  patient: {command: [sleep, "0.5"], input_mode: stdin, timeout_sec: 60}
steps:
  - {name: Command, command: [sleep, "60"], allow_failure: true}
  - {name: Own, command: [sleep, "0.5"], timeout_sec: 60}
  - {name: Agent, provider: slow, allow_failure: true}
  - {name: Patient, provider: patient}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    const codes = ['Command', 'Own', 'Agent', 'Patient'].map((name) => workspace.step(name).exit_code);
    expect(codes).toEqual([124, 0, 124, 0]);
  });

  it('name the shell of scripts, and the folder of processes', async () => {
    const workspace = new Workspace({
      'sub/here': '',
      'w.yaml': `defaults: {shell: sh, working_dir: sub}
steps:
  - {name: Shell, script: 'echo "$0 $(ls)"'}
  - {name: Command, command: [ls]}
  - {name: Own, command: [ls], working_dir: .}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Shell').output).toBe('sh here\n');
    expect(workspace.step('Command').output).toBe('here\n');
    expect(workspace.step('Own').output).toBe('sub\nw.yaml\n');
  });

  it('name the agent of steps that have only a prompt, and its parameters', async () => {
    const workspace = new Workspace({
      'p.md': 'hello',
      'w.yaml': `defaults: {provider: echo, provider_params: {model: big, tone: warm}}
providers:
  echo: {command: [echo, "\${model}", "\${tone}", "\${PROMPT}"], defaults: {tone: cold}}
steps:
  - {name: Ask, input_file: p.md}
  - {name: Other, input_file: p.md, provider_params: {model: small, tone: loud}}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Ask').output).toBe('big cold hello\n');
    expect(workspace.step('Other').output).toBe('small loud hello\n');
  });

  it('are part of the steps: a change of them is a change of the steps', async () => {
    const flow = (capture: string) => `defaults: {output_capture: ${capture}}
steps:
  - {name: First, command: [echo, a]}
  - {name: Second, command: [test, -e, ready]}
`;
    const workspace = new Workspace({ 'w.yaml': flow('text') });
    await workspace.run(['run', 'w.yaml']);
    workspace.write({ 'w.yaml': flow('lines'), ready: '' });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        '  changed: First\n  changed: Second\nnote: these steps already have results: First\n',
      ),
    });
  });
});

describe('keys that start with `x-`', () => {
  it('are ignored wherever a key may be, so that anchors have a place', async () => {
    const workspace = new Workspace({
      'w.yaml': `x-common: &common {retries: {max: 1, delay_ms: 1, x-why: flaky}, x-owner: core}
x-list: [&greeting "hello"]
providers:
  shell: {x-note: [1, 2], command: [echo, "\${PROMPT}"]}
steps:
  - <<: *common
    name: Greet
    command: [echo, *greeting]
    when: {x-why: always, exists: w.yaml}
  - {<<: *common, name: Again, command: [echo, *greeting], retries: 0}
`,
    });
    expect(await workspace.run(['validate', 'w.yaml'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Greet').output).toBe('hello\n');
  });

  it('are ordinary names where names are chosen freely', async () => {
    const workspace = new Workspace({
      'w.yaml': 'context: {x-who: you}\nsteps:\n  - {name: Greet, command: [echo, "${context.x-who}"]}\n',
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    expect(workspace.step('Greet').output).toBe('you\n');
  });
});

describe('descriptions', () => {
  const FLOW = `name: ship
description: Ships the product.
steps:
  - {name: Build, description: Compiles everything., command: [echo, built]}
  - name: Each
    description: Greets two people.
    for_each:
      items: [a, b]
      steps:
        - {name: Greet, description: Says hello., command: [echo, "\${item}"]}
  - {name: Call, call: {workflow: called.yaml}}
`;
  const CALLED = 'steps:\n  - {name: Build, description: Compiles the other one., command: [echo, other]}\n';

  it('are shown once by `show` and in every report', async () => {
    const workspace = new Workspace({ 'ship.yaml': FLOW, 'called.yaml': CALLED });
    expect((await workspace.run(['run', 'ship.yaml'])).exitCode).toBe(0);
    const shown = (await workspace.run(['show'])).stdout.replaceAll(/ +\d+(\.\d+)? m?s/g, ' T');
    expect(
      shown
        .split('\n')
        .slice(1)
        .filter((line) => !line.includes('started')),
    ).toEqual([
      '  workflow ship (ship.yaml)',
      '  Ships the product.',
      '',
      '✓ Build T',
      '    Compiles everything.',
      '✓ Each T  2 of 2 items',
      '    Greets two people.',
      '  [0] a',
      '    ✓ Greet T',
      '        Says hello.',
      '  [1] b',
      '    ✓ Greet T',
      '✓ Call T',
      '  ✓ Build T',
      '      Compiles the other one.',
      '',
    ]);
    for (const format of ['md', 'html', 'json']) {
      const { stdout } = await workspace.run(['report', '--format', format]);
      for (const text of [
        'Ships the product.',
        'Compiles everything.',
        'Says hello.',
        'Compiles the other one.',
      ])
        expect(stdout.split(text), `${format}: ${text}`).toHaveLength(2);
    }
  });

  it('can be changed before a run is resumed', async () => {
    const waiting = `${FLOW}  - {name: Wait, command: [test, -e, ready]}\n`;
    const workspace = new Workspace({ 'ship.yaml': waiting, 'called.yaml': CALLED });
    await workspace.run(['run', 'ship.yaml']);
    workspace.write({
      'ship.yaml': waiting.replaceAll('everything', 'all').replace('the product', 'it'),
      'called.yaml': CALLED.replace('the other one', 'another'),
      ready: '',
    });
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
    const { stdout } = await workspace.run(['show']);
    for (const text of ['Ships it.', 'Compiles all.', 'Compiles another.']) expect(stdout).toContain(text);
  });
});
