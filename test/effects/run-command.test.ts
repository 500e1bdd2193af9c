import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommandInput } from '../../src/effects/contracts.ts';
import { createRunCommand, type RunCommandParts } from '../../src/effects/run-command.ts';
import type { EffectContext } from '../../src/engine/durable.ts';
import type { Progress } from '../../src/model/event.ts';
import { stepKey } from '../../src/model/ids.ts';
import { createProcessRunner } from '../../src/process/run-process.ts';
import { openFiles } from '../rig/open-files.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const workspace = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'run-command-')));
const directory = join(workspace, '.orchestrate/runs/20260101T000000Z-abcdef');
fs.mkdirSync(directory, { recursive: true });
const runner = createProcessRunner();
afterAll(() => {
  runner.close();
  fs.rmSync(workspace, { recursive: true, force: true });
});

const environment = { PATH: process.env['PATH'] };
let steps = 0;

interface Site {
  readonly context: EffectContext;
  readonly progress: Progress[];
  readonly started: number[];
  log(stream: 'stdout' | 'stderr'): string | undefined;
}

function site(overrides: Partial<EffectContext> = {}): Site {
  const key = stepKey('Step', ++steps);
  const progress: Progress[] = [];
  const started: number[] = [];
  const context: EffectContext = {
    key,
    attempt: 1,
    signal: new AbortController().signal,
    run: { runId: '20260101T000000Z-abcdef', directory, workspace },
    emit: (each) => void progress.push(each),
    processStarted: (pid) => void started.push(pid),
    ...overrides,
  };
  return {
    context,
    progress,
    started,
    log(stream) {
      const suffix = context.attempt > 1 ? `.try${context.attempt}` : '';
      const path = join(directory, 'logs', `${key.replace('/', '.')}${suffix}.${stream}`);
      return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined;
    },
  };
}

function run(
  input: Partial<RunCommandInput> & { readonly argv: readonly string[] },
  at: Site = site(),
  parts: Partial<RunCommandParts> = {},
) {
  const effect = createRunCommand({ runProcess: runner.run, environment, ...parts });
  return effect({ capture: 'text', ...input }, at.context);
}

const bash = (script: string) => ({ argv: ['bash', '-c', script] });

describe('a command', () => {
  it('that succeeds returns its text, keeps its log and records what was run', async () => {
    const at = site();
    expect(await run(bash('echo hello'), at)).toEqual({
      exitCode: 0,
      outcome: 'done',
      capture: 'text',
      output: 'hello\n',
      truncated: false,
      debug: { command: ['bash', '-c', 'echo hello'], cwd: '.' },
    });
    expect(at.log('stdout')).toBe('hello\n');
    expect(at.log('stderr')).toBeUndefined();
    expect(at.started.length).toBe(1);
  });

  it('that fails keeps its output and the end of both streams', async () => {
    const output = await run(bash('seq 1 2000; echo trouble >&2; exit 3'));
    expect(output).toMatchObject({
      exitCode: 3,
      outcome: 'exit-code',
      failure: { type: 'exit-code', exitCode: 3 },
      truncated: true,
      stderrTail: 'trouble\n',
    });
    expect(output.output?.startsWith('1\n2\n')).toBe(true);
    expect(output.stdoutTail?.endsWith('1999\n2000\n')).toBe(true);
    expect(Buffer.byteLength(output.stdoutTail ?? '')).toBe(4096);
  });

  it('keeps a log of its own for a later attempt', async () => {
    const at = site({ attempt: 2 });
    await run(bash('echo again'), at);
    expect(at.log('stdout')).toBe('again\n');
  });

  it('runs in a folder of the workspace and reads a file of it', async () => {
    fs.mkdirSync(join(workspace, 'sub'), { recursive: true });
    fs.writeFileSync(join(workspace, 'in.txt'), 'input');
    const output = await run({ ...bash('pwd; cat'), cwd: 'sub', stdinFile: 'in.txt' });
    expect(output.output).toBe(`${workspace}/sub\ninput`);
    expect(output.debug).toMatchObject({ cwd: 'sub' });
  });

  it('knows its run and step', async () => {
    const at = site();
    const output = await run(bash('echo $ORCHESTRATE_RUN_ID $ORCHESTRATE_STEP $OWN'), at);
    expect(output.output).toBe(`20260101T000000Z-abcdef ${at.context.key}\n`);
    const named = await run({ ...bash('echo $OWN'), env: { OWN: 'mine' } });
    expect(named.output).toBe('mine\n');
  });

  it('that does not exist has exit code 127', async () => {
    expect(await run({ argv: ['no-such-program-here'] })).toMatchObject({
      exitCode: 127,
      outcome: 'not-found',
      failure: { type: 'not-found', program: 'no-such-program-here' },
      debug: { command: ['no-such-program-here'] },
    });
  });

  it('that takes too long has exit code 124', async () => {
    expect(await run({ ...bash('echo begun; exec sleep 600'), timeoutMs: 300 })).toMatchObject({
      exitCode: 124,
      outcome: 'timed-out',
      failure: { type: 'timed-out', afterMs: 300 },
      output: 'begun\n',
    });
  });

  it('that is silent for too long has exit code 124', async () => {
    const output = await run({ ...bash('exec sleep 600'), idleTimeoutMs: 100 });
    expect(output).toMatchObject({ exitCode: 124, failure: { type: 'idle', afterMs: 100 } });
  });

  it('is stopped when the run is interrupted, and rejects with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const at = site({ signal: controller.signal, processStarted: () => controller.abort(reason) });
    await expect(run(bash('exec sleep 600'), at)).rejects.toBe(reason);
    await expect(run({ argv: ['true'] }, at)).rejects.toBe(reason);
  });

  it('shows its output as it arrives, in complete characters, if it is watched', async () => {
    const at = site();
    await run(bash('printf "a\\xc3"; sleep 0.1; printf "\\xa9b"; echo e >&2'), at, { showsOutput: true });
    const text = (stream: string) =>
      at.progress.map((each) => (each.type === 'output' && each.stream === stream ? each.text : '')).join('');
    expect(text('stdout')).toBe('aéb');
    expect(text('stderr')).toBe('e\n');
  });
});

describe('text', () => {
  it('is truncated to 8 KiB between two characters', async () => {
    const output = await run(bash(`printf 'x'; for i in $(seq 5000); do printf 'é'; done`));
    expect(output.truncated).toBe(true);
    expect(output.output).toBe(`x${'é'.repeat(4095)}`);
  });

  it('of exactly 8 KiB is not truncated', async () => {
    const output = await run({ argv: ['head', '-c', '8192', '/dev/zero'] });
    expect(output.output?.length).toBe(8192);
    expect(output.truncated).toBe(false);
  });
});

describe('lines', () => {
  it('have no line breaks, of any kind, and omit the raw text', async () => {
    const output = await run({ ...bash('printf "a\\r\\n\\nb c\\nlast"'), capture: 'lines' });
    expect(output).toMatchObject({ capture: 'lines', lines: ['a', '', 'b c', 'last'], truncated: false });
    expect(output).not.toHaveProperty('output');
  });

  it('are empty without output', async () => {
    expect(await run({ argv: ['true'], capture: 'lines' })).toMatchObject({ lines: [], truncated: false });
  });

  it('are at most ten thousand', async () => {
    const exact = await run({ argv: ['seq', '1', '10000'], capture: 'lines' });
    expect([exact.lines?.length, exact.lines?.at(-1), exact.truncated]).toEqual([10_000, '10000', false]);
    const more = await run({ argv: ['seq', '1', '10001'], capture: 'lines' });
    expect([more.lines?.length, more.lines?.at(-1), more.truncated]).toEqual([10_000, '10000', true]);
  });

  it('are only complete ones, within 8 MiB', async () => {
    const output = await run({
      ...bash('echo first; head -c 9000000 /dev/zero; echo; echo third'),
      capture: 'lines',
    });
    expect(output).toMatchObject({ lines: ['first'], truncated: true });
  });
});

describe('json', () => {
  it('is parsed, and omits the raw text', async () => {
    const output = await run({ argv: ['echo', '{"a": [1, true]}'], capture: 'json' });
    expect(output).toMatchObject({ exitCode: 0, capture: 'json', json: { a: [1, true] }, truncated: false });
    expect(output).not.toHaveProperty('output');
  });

  it('that is invalid has exit code 2', async () => {
    const output = await run({ argv: ['echo', '{"a": '], capture: 'json' });
    expect(output).toMatchObject({
      exitCode: 2,
      outcome: 'invalid-output',
      failure: { type: 'invalid-output', reason: 'invalid' },
      stdoutTail: '{"a": \n',
    });
    expect(output).not.toHaveProperty('json');
  });

  it('that is empty has exit code 2', async () => {
    expect(await run({ argv: ['true'], capture: 'json' })).toMatchObject({
      exitCode: 2,
      failure: { type: 'invalid-output', reason: 'invalid' },
    });
  });

  const large = `printf '"'; head -c 1048576 /dev/zero | tr '\\0' x; printf '"'`;

  it('of more than 1 MiB has exit code 2', async () => {
    expect(await run({ ...bash(large), capture: 'json' })).toMatchObject({
      exitCode: 2,
      failure: { type: 'invalid-output', reason: 'overflow' },
      truncated: true,
    });
  });

  it('of exactly 1 MiB is parsed', async () => {
    const output = await run({ ...bash(large.replace('1048576', '1048574')), capture: 'json' });
    expect(output.json).toBe('x'.repeat(1_048_574));
  });

  it('that is allowed to be invalid succeeds with the text and the reason', async () => {
    const invalid = await run({ argv: ['echo', 'no json'], capture: 'json', allowParseError: true });
    expect(invalid).toMatchObject({
      exitCode: 0,
      outcome: 'done',
      output: 'no json\n',
      debug: { json_parse_error: { reason: 'invalid' } },
    });
    const overflow = await run({ ...bash(large), capture: 'json', allowParseError: true });
    expect(overflow).toMatchObject({
      exitCode: 0,
      truncated: true,
      debug: { json_parse_error: { reason: 'overflow' } },
    });
    expect(overflow.output?.length).toBe(8192);
  });

  it('of a failing command does not hide its exit code', async () => {
    expect(await run({ ...bash('echo oops; exit 9'), capture: 'json' })).toMatchObject({
      exitCode: 9,
      failure: { type: 'exit-code', exitCode: 9 },
    });
  });
});

describe('an output file', () => {
  it('receives the whole stream, in a new folder, and is an artifact of the step', async () => {
    const at = site();
    const output = await run({ argv: ['seq', '1', '100000'], outputFile: 'made/for/it/out.txt' }, at);
    const text = fs.readFileSync(join(workspace, 'made/for/it/out.txt'), 'utf8');
    expect(text.endsWith('99999\n100000\n')).toBe(true);
    expect(at.log('stdout')).toBe(text);
    expect(output.artifacts).toEqual(['made/for/it/out.txt']);
  });

  it('exists and is empty if nothing was printed', async () => {
    fs.writeFileSync(join(workspace, 'quiet.txt'), 'from before');
    await run({ argv: ['true'], outputFile: 'quiet.txt' });
    expect(fs.readFileSync(join(workspace, 'quiet.txt'), 'utf8')).toBe('');
  });

  it('outside the workspace starts nothing', async () => {
    for (const outputFile of ['../out.txt', join(temporaryFolder(), 'out.txt')]) {
      const at = site();
      const output = await run({ argv: ['true'], outputFile }, at);
      expect(output).toMatchObject({ exitCode: 2, failure: { type: 'unsafe-path', path: outputFile } });
      expect(at.started).toEqual([]);
    }
  });

  it('behind a link that leads out starts nothing', async () => {
    fs.symlinkSync(temporaryFolder(), join(workspace, 'out-link'));
    const output = await run({ argv: ['true'], outputFile: 'out-link/x.txt' });
    expect(output).toMatchObject({ exitCode: 2, failure: { type: 'unsafe-path' } });
  });
});

describe('a folder that becomes a link after the step was checked', () => {
  /** As a parallel agent could do it, at the last moment. */
  const swapped =
    (folder: string, outside: string): RunCommandParts['runProcess'] =>
    (request) => {
      fs.renameSync(join(workspace, folder), join(workspace, `${folder}-before`));
      fs.symlinkSync(outside, join(workspace, folder));
      return runner.run(request);
    };

  it('does not redirect the output file outside the workspace', async () => {
    const outside = fs.mkdtempSync(join(os.tmpdir(), 'outside-'));
    fs.writeFileSync(join(outside, 'out.txt'), 'theirs');
    await run({ argv: ['echo', 'mine'], outputFile: 'swap-out/out.txt' }, site(), {
      runProcess: swapped('swap-out', outside),
    });
    expect(fs.readFileSync(join(outside, 'out.txt'), 'utf8')).toBe('theirs');
    expect(fs.readFileSync(join(workspace, 'swap-out-before/out.txt'), 'utf8')).toBe('mine\n');
    fs.rmSync(outside, { recursive: true });
  });

  it('does not let a file outside be read on stdin', async () => {
    const outside = fs.mkdtempSync(join(os.tmpdir(), 'outside-'));
    fs.writeFileSync(join(outside, 'in.txt'), 'theirs');
    fs.mkdirSync(join(workspace, 'swap-in'));
    fs.writeFileSync(join(workspace, 'swap-in/in.txt'), 'mine');
    const output = await run({ argv: ['cat'], stdinFile: 'swap-in/in.txt' }, site(), {
      runProcess: swapped('swap-in', outside),
    });
    expect(output.output).toBe('mine');
    fs.rmSync(outside, { recursive: true });
  });

  it('leaves no file open, whether the process starts or not', async () => {
    const files = { outputFile: 'open/out.txt', stdinFile: 'in.txt' };
    fs.writeFileSync(join(workspace, 'in.txt'), 'input');
    await run({ argv: ['cat'], ...files });
    const before = openFiles();
    for (const argv of [['cat'], ['no-such-program-here']]) await run({ argv, ...files });
    await run({ argv: ['cat'], ...files, outputFile: '../out.txt' });
    await run({ argv: ['cat'], ...files, stdinFile: 'missing.txt' });
    // The pipes of a child are closed shortly after its end.
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });

  it('a file is not truncated for a step that cannot start', async () => {
    fs.writeFileSync(join(workspace, 'kept.txt'), 'from before');
    await run({ argv: ['true'], outputFile: 'kept.txt', secrets: ['NOT_SET'] });
    await run({ argv: ['cat'], outputFile: 'kept.txt', stdinFile: 'missing.txt' });
    expect(fs.readFileSync(join(workspace, 'kept.txt'), 'utf8')).toBe('from before');
  });
});

describe('a secret', () => {
  const secretive = { environment: { ...environment, GITHUB_TOKEN: 'ghp_verysecret', MINE: 'hidden-value' } };

  it('appears nowhere in what is saved', async () => {
    const at = site();
    const output = await run(
      {
        argv: [
          'bash',
          '-c',
          'echo $GITHUB_TOKEN; echo "{\\"k\\": \\"$MINE\\"}" >&2; echo $1; exit 1',
          'bash',
          'hidden-value',
        ],
        secrets: ['MINE'],
        outputFile: 'secret-out.txt',
      },
      at,
      secretive,
    );
    expect(output.output).toBe('***\n***\n');
    expect(output.stderrTail).toBe('{"k": "***"}\n');
    const kept = [
      JSON.stringify(output),
      at.log('stdout'),
      at.log('stderr'),
      fs.readFileSync(join(workspace, 'secret-out.txt'), 'utf8'),
    ].join();
    expect(kept).not.toContain('ghp_verysecret');
    expect(kept).not.toContain('hidden-value');
  });

  it('of another step is masked too, since every child inherits it', async () => {
    const at = site();
    const output = await run(
      { ...bash('echo $ELSEWHERE; echo $ELSEWHERE >&2; exit 1'), outputFile: 'inherited.txt' },
      at,
      { environment: { ...environment, ELSEWHERE: 'declared-elsewhere' }, secrets: ['declared-elsewhere'] },
    );
    expect(output).toMatchObject({ output: '***\n', stderrTail: '***\n' });
    expect([at.log('stdout'), at.log('stderr')]).toEqual(['***\n', '***\n']);
    expect(fs.readFileSync(join(workspace, 'inherited.txt'), 'utf8')).toBe('***\n');
  });

  it('that is declared and not set starts nothing', async () => {
    const at = site();
    const output = await run({ argv: ['echo', 'ghp_verysecret'], secrets: ['NOT_SET'] }, at, secretive);
    expect(output).toMatchObject({
      exitCode: 2,
      failure: { type: 'undefined-variables', names: ['env.NOT_SET'] },
      debug: { command: ['echo', '***'] },
    });
    expect(at.started).toEqual([]);
  });
});
