import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

describe('providers', () => {
  it('get the prompt literally, as one argument or on standard input; parameters override defaults', async () => {
    const workspace = new Workspace({
      'p.md': 'Say "hi" to $HOME, `x` and ${context.a}.\n-n\n',
      'w.yaml': `context: {model: from context}
providers:
  argument:
    command: [printf, "%s|", "\${PROMPT}", "pre-\${PROMPT}-post", "\${model}", "\${mode}", "\${context.model}"]
    defaults: {model: small, mode: "\${context.model}"}
  input: {command: [cat], input_mode: stdin}
steps:
  - {name: A, provider: argument, provider_params: {model: "\${context.model}!"}, input_file: p.md, output_file: a.txt}
  - {name: B, provider: input, input_file: p.md}
  - {name: C, provider: input}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const prompt = workspace.read('p.md');
    expect(workspace.read('a.txt')).toBe(
      `${prompt}|pre-${prompt}-post|from context!|from context|from context|`,
    );
    expect(workspace.step('B').output).toBe(prompt);
    expect(workspace.step('C').output).toBe('');
    expect(workspace.step('A').artifacts).toEqual(['a.txt']);
    const prompts = fs.readdirSync(path.join(workspace.runFolder(), 'prompts'));
    expect(prompts).toEqual(['001-A.txt', '002-B.txt', '003-C.txt']);
    expect(fs.readFileSync(path.join(workspace.runFolder(), 'prompts', '001-A.txt'), 'utf8')).toBe(prompt);
  });

  it('get the lines of a step in the same form with and without a prompt', async () => {
    const workspace = new Workspace({
      'p.md': 'P',
      'w.yaml': `providers:
  p: {command: [printf, "%s|", "\${steps.L.lines}", "\${steps.L.lines}:\${PROMPT}"]}
steps:
  - {name: L, command: [printf, "a\\nb\\n"], output_capture: lines}
  - {name: A, provider: p, input_file: p.md}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('A').output).toBe('a\nb|a\nb:P|');
  });

  it('with a missing parameter cause a warning at load time and fail with exit code 2', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `providers:
  p: {command: [touch, "\${PROMPT}", "\${missing}", "\${other}"]}
steps:
  - {name: A, provider: p, provider_params: {other: x}, input_file: p.md}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('warning[workflow/missing-placeholder]');
    expect(workspace.step('A')).toMatchObject({
      exit_code: 2,
      outcome: 'missing-placeholders',
      error: { context: { missing_placeholders: ['missing'] } },
    });
    expect(workspace.has('x')).toBe(false);
  });

  it('cannot have `${PROMPT}` in a template that gets the prompt on standard input', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `providers:\n  p: {command: [echo, "\${PROMPT}"], input_mode: stdin}\nsteps:\n  - {name: A, provider: p, input_file: p.md}\n`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect([ended.exitCode, ended.stderr.split('\n')[0]]).toEqual([
      2,
      expect.stringContaining('error[workflow/prompt-in-stdin]'),
    ]);
  });

  it('report a prompt that is too long for an argument', async () => {
    const workspace = new Workspace({
      'p.md': 'x'.repeat(140_000),
      'w.yaml': `providers:\n  p: {command: [echo, "\${PROMPT}"]}\nsteps:\n  - {name: A, provider: p, input_file: p.md}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('A')).toMatchObject({
      exit_code: 2,
      outcome: 'prompt-too-long',
      error: { message: expect.stringContaining('input_mode: stdin') },
    });
  });

  it('without their prompt file fail with its name', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'providers:\n  p: {command: [cat], input_mode: stdin}\nsteps:\n  - {name: A, provider: p, input_file: no.md}\n',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('A').error?.message).toBe('cannot read `no.md`: no such file or folder (ENOENT)');
  });

  it('are replaced entirely by `command_override`, with or without a provider', async () => {
    const workspace = new Workspace({
      'p.md': 'the prompt',
      'w.yaml': `context: {w: word}
providers:
  p: {command: [touch, never]}
steps:
  - {name: A, provider: p, input_file: p.md, command_override: [printf, "%s,", a, "\${context.w}"]}
  - {name: B, command_override: [cat], input_file: p.md}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('A').output).toBe('a,word,');
    // The prompt is also on standard input.
    expect(workspace.step('B').output).toBe('the prompt');
    expect(workspace.has('never')).toBe(false);
  });

  it('are all replaced by the agent of `--agent`', async () => {
    const workspace = new Workspace({
      'p.md': 'the prompt',
      'w.yaml': `providers:
  p: {command: [touch, never-1, "\${PROMPT}"]}
  q: {command: [sed, "s/the/THE/"], input_mode: stdin}
steps:
  - {name: A, provider: p, input_file: p.md}
  - {name: B, command_override: [touch, never-2], input_file: p.md}
  - {name: C, call: {workflow: inner.yaml}}
`,
      'inner.yaml': `providers:
  p: {command: [touch, never-3, "\${PROMPT}"]}
outputs: {said: "\${steps.A.output}"}
steps:
  - {name: A, provider: p, input_file: p.md}
`,
    });
    expect(await workspace.run(['run', 'w.yaml', '--agent', 'q'])).toMatchObject({ exitCode: 0 });
    expect([workspace.step('A').output, workspace.step('B').output]).toEqual(['THE prompt', 'THE prompt']);
    expect(workspace.step('C').json).toEqual({ said: 'THE prompt' });
    expect(workspace.list('').filter((name) => name.startsWith('never'))).toEqual([]);
    const wrong = await workspace.run(['run', 'w.yaml', '--agent', 'qq']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      'error: unknown provider `qq`\nhelp: use one of claude, gemini, codex, opencode, copilot, qwen, mock, p, q\n',
    ]);
  });

  it('switch to their fallbacks in order if another agent may succeed, and say so', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `providers:
  first: {adapter: mock, script: {outcome: rate-limited, resets_at: "2099-01-01T00:00:00Z"}, fallback: [second, third]}
  second: {command: [no-such-agent-here], input_mode: stdin}
  third: {adapter: mock, script: {answer: from the third}}
  wrong: {adapter: mock, script: {outcome: invalid-input, message: bad}, fallback: [third]}
strict_flow: false
steps:
  - {name: A, provider: first, input_file: p.md}
  - {name: B, provider: wrong, input_file: p.md}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('A')).toMatchObject({
      status: 'completed',
      output: 'from the third',
      decisions: [
        '`first` failed (rate-limited); switching to `second`',
        '`second` failed (not-found); switching to `third`',
      ],
    });
    expect(workspace.step('B')).toMatchObject({ status: 'failed', exit_code: 2, outcome: 'invalid-input' });
  });

  it('run the program of a template instead of the built-in one', async () => {
    const workspace = new Workspace({
      'bin/claude': '#!/bin/sh\nprintf "%s|" "$@"\n',
      'p.md': 'Do it.',
      'w.yaml': `providers:
  claude:
    command: ["./bin/claude", "-p", "\${PROMPT}", "--model", "\${model}"]
    defaults: {model: sonnet}
steps:
  - {name: A, provider: claude, input_file: p.md}
`,
    });
    fs.chmodSync(path.join(workspace.folder, 'bin/claude'), 0o755);
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('A').output).toBe('-p|Do it.|--model|sonnet|');
    expect(workspace.step('A').debug).toEqual({
      command: ['./bin/claude', '-p', 'Do it.', '--model', 'sonnet'],
      cwd: '.',
    });
  });

  it('pass `env` and `secrets` to the agent, and the secrets nowhere else', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `providers:
  p: {command: [bash, -c, "cat > /dev/null; echo $CLAUDECODE $LEVEL $HUSH; printf %s $HUSH | rev"], input_mode: stdin}
strict_flow: false
steps:
  - {name: A, provider: p, input_file: p.md, env: {CLAUDECODE: mine, LEVEL: debug}, secrets: [HUSH], output_file: a.txt}
  - {name: B, command: [bash, -c, "echo $HUSH; exit 1"], secrets: [HUSH]}
  - {name: C, command: [touch, never], secrets: [NOT_SET]}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml', '--verbose'], {
      env: { HUSH: 'verysecretvalue', CLAUDECODE: '1' },
    });
    expect(workspace.step('A').output).toBe('mine debug ***\neulavtercesyrev');
    expect(workspace.read('a.txt')).toContain('mine debug ***');
    expect(workspace.step('B').error?.stdout_tail).toBe('***\n');
    expect(workspace.step('C')).toMatchObject({
      exit_code: 2,
      error: { context: { undefined_vars: ['env.NOT_SET'] } },
    });
    expect(workspace.has('never')).toBe(false);
    expect(ended.stdout + ended.stderr).not.toContain('verysecretvalue');
    for (const name of workspace.list('.orchestrate')) {
      const file = path.join(workspace.folder, '.orchestrate', name);
      if (fs.statSync(file).isFile()) expect(fs.readFileSync(file, 'utf8')).not.toContain('verysecretvalue');
    }
  });
});
