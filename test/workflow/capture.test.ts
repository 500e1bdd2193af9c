import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';

describe('captured output', () => {
  it('as text is the first 8 KiB, truncated between two characters, and the log has all of it', async () => {
    const workspace = new Workspace({
      // 8191 bytes and then characters of three bytes: the limit falls inside the first of them.
      'long.txt': `${'a'.repeat(8191)}${'€'.repeat(1000)}`,
      'exact.txt': 'b'.repeat(8192),
      'bytes.bin': 'short',
      'w.yaml': `steps:
  - {name: Long, command: [cat, long.txt]}
  - {name: Exact, command: [cat, exact.txt]}
  - {name: Binary, command: [printf, 'x\\377y']}
  - {name: Quiet, command: ["true"]}
  - {name: Talk, command: [bash, -c, "echo out; echo err >&2"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Long')).toMatchObject({ output: 'a'.repeat(8191), truncated: true });
    expect(workspace.step('Exact')).toMatchObject({ output: 'b'.repeat(8192), truncated: false });
    expect(workspace.step('Binary').output).toBe('x\ufffdy');
    expect(workspace.step('Quiet')).toMatchObject({ output: '', truncated: false });
    const logs = path.join(workspace.runFolder(), 'logs');
    expect(fs.readFileSync(path.join(logs, 'Long.stdout'), 'utf8')).toBe(workspace.read('long.txt'));
    expect(fs.readFileSync(path.join(logs, 'Talk.stderr'), 'utf8')).toBe('err\n');
    // An empty stream leaves no file.
    expect(fs.readdirSync(logs).sort()).toEqual([
      ...['Binary.stdout', 'Exact.stdout', 'Long.stdout', 'Talk.stderr', 'Talk.stdout', 'orchestrator.log'],
    ]);
  });

  it('as lines is at most 10,000 lines, with CRLF as one line break, without the raw text', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Few, command: [printf, 'a\\r\\n\\n b \\nlast'], output_capture: lines}
  - {name: None, command: ["true"], output_capture: lines}
  - {name: Exact, command: [seq, "10000"], output_capture: lines}
  - {name: Many, command: [seq, "10001"], output_capture: lines}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Few')).toMatchObject({
      output_capture: 'lines',
      lines: ['a', '', ' b ', 'last'],
      truncated: false,
    });
    expect(workspace.step('None')).toMatchObject({ lines: [], truncated: false });
    expect(workspace.step('Exact')).toMatchObject({ truncated: false });
    const many = workspace.step('Many');
    expect([many.lines?.length, many.lines?.at(-1), many.truncated]).toEqual([10_000, '10000', true]);
    expect(many).not.toHaveProperty('output');
  });

  it('that was truncated cannot be used, and the advice is to correct the step that does', async () => {
    const use = (argument: string) => `steps:
  - {name: Big, command: [seq, "10000"]}
  - {name: Use, command: [echo, "${argument}"]}
`;
    const workspace = new Workspace({ 'w.yaml': use('${steps.Big.output}') });
    const failed = await workspace.run(['run', 'w.yaml']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('`steps.Big.output` was truncated after 8 KiB');
    expect(failed.stderr).toMatch(/to continue: correct `Use`, then orchestrate resume \S+ --accept-changes/);
    workspace.write({ 'w.yaml': use('${steps.Big.exit_code}') });
    expect(await workspace.run(['resume', 'last', '--accept-changes'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Use').output).toBe('0\n');
  });

  it('as JSON is parsed; invalid JSON fails with exit code 2, or is kept as text if allowed', async () => {
    const step = (name: string, command: string, rest = '') =>
      `  - {name: ${name}, command: ${command}, output_capture: json${rest}, on: {failure: {goto: After${name}}}}\n  - {name: After${name}, command: ["true"]}\n`;
    const big = `[bash, -c, "printf '['; seq -s, 300000; printf ']'"]`;
    const workspace = new Workspace({
      'w.yaml': `steps:
${step('Good', `[echo, ' {"a": [1, null], "__proto__": {"x": 1}} ']`)}${step('Scalar', '[echo, "3"]')}${step('Bad', '[echo, "{oops"]')}${step('Empty', '["true"]')}${step('Over', big)}${step('BadOk', '[echo, "{oops"]', ', allow_parse_error: true')}${step('OverOk', big, ', allow_parse_error: true')}${step('GoodOk', '[echo, "[]"]', ', allow_parse_error: true')}${step('Failed', `[bash, -c, "echo '{}'; exit 5"]`, ', allow_parse_error: true')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Good')).toMatchObject({ exit_code: 0, output_capture: 'json', truncated: false });
    expect(JSON.stringify(workspace.step('Good').json)).toBe('{"a":[1,null],"__proto__":{"x":1}}');
    expect(workspace.step('Good')).not.toHaveProperty('output');
    expect(workspace.step('Scalar').json).toBe(3);
    for (const [name, reason] of [
      ['Bad', 'invalid'],
      ['Empty', 'invalid'],
      ['Over', 'overflow'],
    ] as const) {
      expect(workspace.step(name)).toMatchObject({
        status: 'failed',
        exit_code: 2,
        outcome: 'invalid-output',
        error: { context: { reason } },
      });
      expect(workspace.step(name)).not.toHaveProperty('json');
    }
    expect(workspace.step('BadOk')).toMatchObject({
      status: 'completed',
      exit_code: 0,
      output: '{oops\n',
      debug: { json_parse_error: { reason: 'invalid' } },
    });
    expect(workspace.step('OverOk')).toMatchObject({
      exit_code: 0,
      truncated: true,
      debug: { json_parse_error: { reason: 'overflow' } },
    });
    expect(workspace.step('OverOk').output).toHaveLength(8192);
    expect(workspace.step('GoodOk')).toMatchObject({ json: [] });
    expect(workspace.step('GoodOk')).not.toHaveProperty('output');
    // The failure of the command is the first cause, whatever it printed.
    expect(workspace.step('Failed')).toMatchObject({ status: 'failed', exit_code: 5, outcome: 'exit-code' });
  });

  it('of a failure contains the ends of both streams, the command and the folder', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:\n  - {name: X, command: [bash, -c, "seq 5000; echo why >&2; exit 9"]}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    const { error, debug } = workspace.step('X');
    expect(error).toMatchObject({
      message: 'the command ended with exit code 9',
      type: 'exit-code',
      exit_code: 9,
      stderr_tail: 'why\n',
    });
    expect(error?.stdout_tail?.endsWith('4999\n5000\n')).toBe(true);
    expect(error?.stdout_tail?.length).toBeLessThanOrEqual(4096);
    expect(debug).toEqual({ command: ['bash', '-c', 'seq 5000; echo why >&2; exit 9'], cwd: '.' });
  });

  it('explains a failure with stdout if the command printed nothing on stderr', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Compile, command: [bash, -c, "echo 'a.ts(1,1): error TS1005'; exit 2"], on: {failure: {goto: Test}}}
  - {name: Test, command: [bash, -c, "echo ok 1; echo boom >&2; exit 1"]}
`,
      'x.yaml': 'steps:\n  - {name: X, command: [bash, -c, "echo why; exit 1"]}\n',
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    const shown = (await workspace.run(['show', 'last'])).stdout;
    expect(shown).toContain('| a.ts(1,1): error TS1005');
    for (const text of [ended.stderr, shown]) {
      expect(text).toContain('| boom');
      expect(text).not.toContain('| ok 1');
    }
    const failed = (await workspace.run(['run', 'x.yaml'])).stderr;
    expect(failed).toMatch(/\| why\n {4}full output: orchestrate logs \S+ X\n/);
  });

  it('shortens long lines of what explains a failure', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'steps:\n  - {name: X, command: [bash, -c, "head -c 6000 /dev/zero | tr \'\\\\0\' x; exit 1"]}\n',
    });
    const ended = (await workspace.run(['run', 'w.yaml'])).stderr;
    const shown = (await workspace.run(['show', 'last'])).stdout;
    for (const text of [ended, shown]) expect(text).toContain(`    | ${'x'.repeat(499)}…\n`);
  });

  it('is bounded, as is the memory of the program, whatever a step prints', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Flood, command: [bash, -c, "head -c 600000000 /dev/zero | tr '\\\\0' x"], output_capture: lines, output_file: flood.txt}
  - {name: Hold, command: [bash, -c, "while [ ! -e go ]; do sleep 0.02; done"]}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () =>
        workspace.runs().length > 0 &&
        workspace.journal().some(({ type, key }) => type === 'step-started' && key === 'Hold'),
    );
    const peak = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${run.pid}/status`, 'utf8'))?.[1];
    workspace.write({ go: '' });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    expect(fs.statSync(path.join(workspace.folder, 'flood.txt')).size).toBe(600_000_000);
    // 600 MB passed through. Node itself takes 45 to 70 MB, and up to 90 MB more may wait for garbage collection.
    expect(Number(peak)).toBeLessThan(250_000);
    expect(workspace.step('Flood')).toMatchObject({ lines: [], truncated: true });
  });

  it('is omitted from a view that would grow too large, but is in the journal', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - name: Loop
    for_each:
      items: [0, 1, 2, 3, 4, 5]
      steps: [{name: Much, command: [bash, -c, "head -c 7000000 /dev/zero | tr '\\\\0' x | fold -w 700000"], output_capture: lines}]
  - {name: Late, command: [bash, -c, "head -c 7000000 /dev/zero | tr '\\\\0' x | fold -w 700000"], output_capture: lines}
  - {name: Seen, when: {not_equals: {left: "\${steps.Late.lines}", right: ""}}, command: ["true"]}
  - {name: Each, for_each: {items_from: steps.Late.lines, steps: [{name: Skip, when: {exists: never}, command: ["true"]}]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const loop = workspace.iterations('Loop').map(({ Much }) => [Much?.lines?.length, Much?.left_out]);
    expect(loop.slice(0, 4)).toEqual([1, 2, 3, 4].map(() => [10, undefined]));
    expect(loop.slice(4)).toEqual([5, 6].map(() => [undefined, ['lines']]));
    expect(workspace.step('Late')).toMatchObject({ status: 'completed', left_out: ['lines'] });
    expect(workspace.step('Seen').status).toBe('completed');
    expect(workspace.state().for_each['Each']).toMatchObject({
      items: [],
      items_left_out: 10,
      current_index: null,
    });
    expect(fs.statSync(path.join(workspace.runFolder(), 'state.json')).size).toBeLessThan(40_000_000);
    const again = await workspace.run(['run-step', 'Seen', '--workflow', 'w.yaml', '--from-run', 'last']);
    expect(again.exitCode).toBe(0);
  });
});

describe('exit codes of steps', () => {
  it('are those of the command, 127 for a missing program and 126 for one that cannot be started', async () => {
    const codes = [0, 1, 2, 3, 124, 255];
    const workspace = new Workspace({
      'not-a-program': 'text',
      'w.yaml': `strict_flow: false\nsteps:\n${codes
        .map((code) => `  - {name: C${code}, command: [bash, -c, "exit ${code}"]}\n`)
        .join('')}  - {name: Missing, command: [no-such-program-here]}
  - {name: Plain, command: [./not-a-program]}
  - {name: Signal, command: [bash, -c, "kill -TERM $$$$"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(codes.map((code) => workspace.step(`C${code}`).exit_code)).toEqual(codes);
    expect(workspace.step('Missing')).toMatchObject({
      exit_code: 127,
      outcome: 'not-found',
      error: { message: '`no-such-program-here` not found on PATH' },
    });
    expect(workspace.step('Plain')).toMatchObject({ exit_code: 126, outcome: 'cannot-start' });
    expect(workspace.step('Signal')).toMatchObject({
      exit_code: 143,
      error: { message: 'the command was killed by SIGTERM' },
    });
  });
});
