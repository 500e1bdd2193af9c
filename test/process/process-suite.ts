/** What every way of running a process must do. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunProcess } from '../../src/process/run-process.ts';
import { openFiles } from '../rig/open-files.ts';
import { until } from '../rig/orchestrate.ts';
import { endingSuite } from './ending-suite.ts';
import { bash, createBench, isAlive, node, pidIn, request, runnersOf, withOpen } from './rig.ts';
import { standardInputSuite } from './standard-input-suite.ts';

export function processSuite(runProcess: RunProcess): void {
  const bench = createBench();

  const { run, refused } = runnersOf(runProcess);

  describe('a process that runs to its end', () => {
    it('returns its exit code and both streams separately', async () => {
      const end = await run(request(bash('echo out; echo err >&2; exit 3')));
      expect(end.exitCode).toBe(3);
      expect(end.ended).toBeUndefined();
      expect(end.stdout.head.toString()).toBe('out\n');
      expect(end.stderr.head.toString()).toBe('err\n');
    });

    it('passes arguments as they are, without a shell', async () => {
      const odd = ['a b', '$HOME', '`id`', '*', '"\'\\', 'é\n'];
      const end = await run(
        request(node('process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--', ...odd)),
      );
      expect(JSON.parse(end.stdout.head.toString())).toEqual(odd);
    });

    it('returns 128 + the number of the signal that ended it', async () => {
      const end = await run(request(bash('kill -KILL $$')));
      expect(end).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
    });

    it('creates no file for an empty stream, and private files for the rest', async () => {
      const stdout = bench.path('one/a.stdout');
      const stderr = bench.path('one/a.stderr');
      await run(
        request(bash('printf "no newline"'), { stdout: { files: [stdout] }, stderr: { files: [stderr] } }),
      );
      expect(bench.read('one/a.stdout')).toBe('no newline');
      expect(fs.statSync(stdout).mode & 0o777).toBe(0o600);
      expect(fs.existsSync(stderr)).toBe(false);
    });

    it('removes the log of an earlier attempt', async () => {
      const log = bench.path('stale.stdout');
      fs.writeFileSync(log, 'old');
      await run(request(['true'], { stdout: { files: [log] } }));
      expect(fs.existsSync(log)).toBe(false);
    });

    it('writes into files that are already open, wherever their names lead now', async () => {
      const wanted = bench.path('wanted.txt');
      await withOpen(wanted, async (file) => {
        fs.renameSync(wanted, bench.path('moved.txt'));
        fs.symlinkSync(bench.path('elsewhere.txt'), wanted);
        const stdout = { files: [bench.path('copy.log')], opened: [file] };
        await run(request(bash('echo new; echo lines'), { stdout }));
        expect(fs.fstatSync(file.descriptor).size).toBe(10);
      });
      expect(bench.read('moved.txt')).toBe('new\nlines\n');
      expect(bench.read('copy.log')).toBe('new\nlines\n');
      expect(fs.existsSync(bench.path('elsewhere.txt'))).toBe(false);
      fs.unlinkSync(wanted);
    });

    it('keeps the first and the last bytes of a long stream and counts them all', async () => {
      const end = await run(
        request(bash('seq 1 200000'), {
          stdout: { files: [bench.path('seq')], headBytes: 10, tailBytes: 14 },
        }),
      );
      expect(end.stdout.head.toString()).toBe('1\n2\n3\n4\n5\n');
      expect(end.stdout.tail.toString()).toBe('199999\n200000\n');
      expect(end.stdout.bytes).toBe(fs.statSync(bench.path('seq')).size);
      expect(bench.read('seq').split('\n').length).toBe(200_001);
    });

    it('passes on every chunk as it arrives', async () => {
      const seen: string[] = [];
      const gate = bench.path('gate');
      await run(
        request(bash(`echo first; until [ -e ${gate} ]; do sleep 0.01; done; echo second >&2`), {
          onOutput(stream, chunk) {
            seen.push(`${stream}: ${chunk}`);
            fs.writeFileSync(gate, '');
          },
        }),
      );
      expect(seen).toEqual(['stdout: first\n', 'stderr: second\n']);
    });

    it('continues if the child closes its output long before it exits', async () => {
      const end = await run(request(bash('echo last words; exec >&- 2>&-; sleep 0.2; exit 5')));
      expect(end.exitCode).toBe(5);
      expect(end.stdout.head.toString()).toBe('last words\n');
    });

    it('does not wait for a background child that keeps the pipe open and is silent', async () => {
      const pidFile = bench.path('background.pid');
      const end = await run(request(bash(`sleep 600 & echo $! > ${pidFile}; echo done`)));
      expect(end.exitCode).toBe(0);
      expect(end.stdout.head.toString()).toBe('done\n');
      const pid = await pidIn(pidFile);
      expect(isAlive(pid)).toBe(true);
      process.kill(pid, 'SIGKILL');
    });

    it('reports its pid and its start time in the kernel', async () => {
      let told: { pid: number; startTime: string } | undefined;
      const end = await run(
        request(bash('cut -d" " -f22 /proc/$$/stat; echo $$'), {
          onStart: (pid, startTime) => {
            told = { pid, startTime };
          },
        }),
      );
      expect(end.stdout.head.toString()).toBe(`${told?.startTime}\n${told?.pid}\n`);
    });

    it('has the requested environment and nothing else but its mark', async () => {
      const odd = { PATH: process.env['PATH'] ?? '', EMPTY: '', MANY: 'a=b\n$HOME é', OTHER: 'x' };
      const script = 'process.stdout.write(JSON.stringify(process.env))';
      for (const env of [odd, { PATH: odd.PATH, OTHER: 'y', NEW: '=' }, odd]) {
        const end = await run(request(node(script), { env }));
        const { ORCHESTRATE_MARK: _mark, ...seen } = JSON.parse(end.stdout.head.toString());
        expect(seen).toEqual(env);
      }
    });

    it('is found by its own PATH, even if that is relative to its own folder', async () => {
      const folder = bench.path('with programs');
      fs.mkdirSync(join(folder, 'tools'), { recursive: true });
      const program = '#!/bin/sh\necho "$0 in $PWD"\n';
      fs.writeFileSync(join(folder, 'tools', 'own-tool'), program, { mode: 0o755 });
      fs.writeFileSync(bench.path('own-tool'), 'not executable', { mode: 0o644 });
      const paths: readonly [string, string][] = [
        [`/nowhere:${bench.folder}:${join(folder, 'tools')}`, join(folder, 'tools', 'own-tool')],
        ['tools:/usr/bin', 'tools/own-tool'],
      ];
      for (const [PATH, found] of paths) {
        const end = await run(request(['own-tool'], { cwd: folder, env: { PATH } }));
        expect(end.stdout.head.toString()).toBe(`${found} in ${folder}\n`);
      }
      const end = await run(request(['./tools/own-tool'], { cwd: folder, env: {} }));
      expect(end.stdout.head.toString()).toBe(`./tools/own-tool in ${folder}\n`);
    });

    it('may be a script whose first line names no interpreter', async () => {
      fs.writeFileSync(bench.path('bare-script'), 'echo "$# $1"\n', { mode: 0o755 });
      const end = await run(request([bench.path('bare-script'), 'a b', 'c']));
      expect(end.stdout.head.toString()).toBe('2 a b\n');
    });

    it('has the signals and the open files of any child of Node', async () => {
      const [program = '', ...args] = bash('grep -E "^Sig(Blk|Ign):" /proc/self/status; ls /proc/self/fd');
      const end = await run(request([program, ...args]));
      const expected = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      // Signals 32 and 33 belong to the C library, which sets them in every program.
      const named = (text: string) =>
        text.replace(/[0-9a-f]{16}/g, (set) => `${BigInt(`0x${set}`) & 0x7fffffffn}`);
      expect(named(end.stdout.head.toString())).toBe(named(expected));
    });

    it('may open its outputs by name', async () => {
      const end = await run(request(bash('echo out > /dev/stdout; echo err > /dev/stderr')));
      expect(end).toMatchObject({ exitCode: 0 });
      expect(`${end.stdout.head}${end.stderr.head}`).toBe('out\nerr\n');
    });

    it('leads a session of its own', async () => {
      const end = await run(request(bash('echo $$; ps -o sid= -o pgid= -p $$')));
      const [pid, session, group] = end.stdout.head.toString().trim().split(/\s+/);
      expect([session, group]).toEqual([pid, pid]);
    });
  });

  describe('a process that cannot start', () => {
    it('is reported as not found if there is no such program', async () => {
      const failure = { type: 'not-found', program: 'no-such-program-here' };
      expect(await refused(request(['no-such-program-here']))).toEqual(failure);
      expect(await refused(request(['./missing/program']))).toEqual({
        type: 'not-found',
        program: './missing/program',
      });
    });

    it('reports a missing working folder', async () => {
      const cwd = bench.path('no-such-folder');
      const failure = { type: 'file', operation: 'use', path: cwd, code: 'ENOENT' };
      expect(await refused(request(['true'], { cwd }))).toEqual(failure);
    });

    it('reports a working folder that is a file', async () => {
      const cwd = bench.path('a-file');
      fs.writeFileSync(cwd, '');
      expect(await refused(request(['true'], { cwd }))).toMatchObject({ type: 'file', code: 'ENOTDIR' });
    });

    it('is reported if it is not executable', async () => {
      const program = bench.path('plain-file');
      fs.writeFileSync(program, 'echo');
      expect(await refused(request([program]))).toMatchObject({ type: 'cannot-start', code: 'EACCES' });
    });

    it('is reported if its interpreter does not exist', async () => {
      const program = bench.path('script');
      fs.writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
      expect(await refused(request([program]))).toMatchObject({ type: 'cannot-start', code: 'ENOENT' });
    });

    it('is reported if its arguments are too long', async () => {
      const failure = await refused(request(['true', 'x'.repeat(200_000)]));
      expect(failure).toMatchObject({ type: 'cannot-start', program: 'true', code: 'E2BIG' });
    });

    it('is reported if an argument contains a NUL character', async () => {
      expect(await refused(request(['echo', 'a\0b']))).toMatchObject({
        type: 'cannot-start',
        code: 'ERR_INVALID_ARG_VALUE',
      });
    });

    it('is cancelled if the signal was aborted before', async () => {
      const signal = AbortSignal.abort(new Error('stop'));
      expect(await refused(request(['true'], { signal }))).toEqual({ type: 'cancelled' });
    });

    it('leaves no file descriptor open', async () => {
      const stdin = { type: 'file', path: '/dev/null' } as const;
      const before = openFiles();
      for (let i = 0; i < 50; i++) {
        await refused(request(['no-such-program-here'], { stdin }));
        await refused(request(['true', 'x'.repeat(200_000)], { stdin }));
      }
      await until(() => openFiles() <= before + 2);
    });
  });

  describe('a callback that throws', () => {
    const trouble = new Error('no space left for the record');

    it('at the start gets its own error back, and the process has ended by then', async () => {
      const pids: number[] = [];
      const asked = request(bash('sleep 600 & exec sleep 600'), {
        onStart(pid) {
          pids.push(pid);
          throw trouble;
        },
      });
      await expect(runProcess(asked)).rejects.toBe(trouble);
      expect(pids.map(isAlive)).toEqual([false]);
    });

    it('at the start does not wait for a process that has already ended', async () => {
      const asked = request(['true'], {
        onStart() {
          throw trouble;
        },
      });
      await expect(runProcess(asked)).rejects.toBe(trouble);
      expect((await run(request(bash('echo next')))).stdout.head.toString()).toBe('next\n');
    });

    it('on output gets its own error back, and the process has ended by then', async () => {
      const pids: number[] = [];
      const asked = request(bash('echo said; exec sleep 600'), {
        onStart: (pid) => void pids.push(pid),
        onOutput() {
          throw trouble;
        },
      });
      await expect(runProcess(asked)).rejects.toBe(trouble);
      expect(pids.map(isAlive)).toEqual([false]);
    });
  });

  describe('a file that cannot be written', () => {
    it('stops the process and is reported', async () => {
      const end = await withOpen('/dev/full', (file) =>
        run(request(['yes'], { stdout: { files: [], opened: [file] } })),
      );
      expect(end.writeFailure).toEqual({
        type: 'file',
        operation: 'write',
        path: '/dev/full',
        code: 'ENOSPC',
      });
      expect(end.ended).toBeUndefined();
      expect(end.signal).toBe('SIGTERM');
    });

    it('does not affect the other files', async () => {
      const log = bench.path('beside-full');
      const end = await withOpen('/dev/full', (file) =>
        run(request(bash('echo all of it'), { stdout: { files: [log], opened: [file] } })),
      );
      expect(end.writeFailure).toMatchObject({ code: 'ENOSPC' });
      expect(bench.read('beside-full')).toBe('all of it\n');
    });
  });

  describe('secrets', () => {
    it('are masked in files, heads, tails and chunks, even if written byte by byte', async () => {
      const secret = 'hunter2-"quoted"';
      const script = `
      const text = 'a ' + process.argv[1] + ' b ' + JSON.stringify(process.argv[1]) + ' c ' + encodeURIComponent(process.argv[1]);
      for (const byte of Buffer.from(text)) require('fs').writeSync(1, Buffer.from([byte]));
      require('fs').writeSync(2, process.argv[1]);`;
      const chunks: Buffer[] = [];
      const end = await run(
        request(node(script, secret), {
          mask: [secret],
          stdout: { files: [bench.path('masked')] },
          onOutput: (stream, chunk) => void (stream === 'stdout' && chunks.push(chunk)),
        }),
      );
      const masked = 'a *** b "***" c ***';
      expect(bench.read('masked')).toBe(masked);
      expect(end.stdout.head.toString()).toBe(masked);
      expect(end.stdout.tail.toString()).toBe(masked);
      expect(Buffer.concat(chunks).toString()).toBe(masked);
      expect(end.stderr.head.toString()).toBe('***');
    });
  });

  standardInputSuite(runProcess);
  endingSuite(runProcess);
}
