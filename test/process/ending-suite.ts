import { describe, expect, it } from 'vitest';
import type { RunProcess } from '../../src/process/run-process.ts';
import { bash, createBench, isAlive, pidIn, request, runnersOf } from './rig.ts';

export function endingSuite(runProcess: RunProcess): void {
  const bench = createBench();
  const { run } = runnersOf(runProcess);

  describe('a process is stopped', () => {
    const ignoring = (file: string) => bash(`trap "" TERM; echo $$ > ${file}; while :; do sleep 0.05; done`);

    it('after its time limit', async () => {
      const end = await run(request(['sleep', '600'], { timeoutMs: 50 }));
      expect(end).toMatchObject({ ended: { type: 'timed-out', afterMs: 50 }, signal: 'SIGTERM' });
    });

    it('by SIGKILL if it ignores SIGTERM', async () => {
      const end = await run(request(ignoring(bench.path('ignoring.pid')), { timeoutMs: 200, graceMs: 100 }));
      expect(end).toMatchObject({ ended: { type: 'timed-out' }, signal: 'SIGKILL', exitCode: 137 });
    });

    it('with its descendants in their own session', async () => {
      const file = bench.path('session.pid');
      const inner = `trap "" TERM; echo $$ > ${file}; while :; do sleep 0.05; done`;
      const controller = new AbortController();
      const running = run(
        request(bash(`setsid bash -c '${inner}' >/dev/null 2>&1 & disown; sleep 600`), {
          signal: controller.signal,
          graceMs: 100,
        }),
      );
      const pid = await pidIn(file);
      controller.abort('enough');
      expect((await running).ended).toEqual({ type: 'aborted', reason: 'enough' });
      expect(isAlive(pid)).toBe(false);
    });

    it('with a daemon that forked twice and lost its parent', async () => {
      const file = bench.path('daemon.pid');
      const controller = new AbortController();
      const script = `(setsid setsid bash -c 'echo $$ > ${file}; exec sleep 600' &) ; sleep 600`;
      const running = run(request(bash(script), { signal: controller.signal, graceMs: 500 }));
      const pid = await pidIn(file);
      controller.abort();
      await running;
      expect(isAlive(pid)).toBe(false);
    });

    it.runIf(process.platform === 'linux')(
      'with a daemon that dropped its environment, its session and its parent',
      async () => {
        const file = bench.path('bare-daemon.pid');
        const controller = new AbortController();
        const script = `env -i setsid -f bash -c 'echo $$ > ${file}; exec sleep 600'; sleep 600`;
        const running = run(request(bash(script), { signal: controller.signal, graceMs: 500 }));
        const pid = await pidIn(file);
        controller.abort();
        await running;
        expect(isAlive(pid)).toBe(false);
      },
    );

    it('after being silent, and not while it prints', async () => {
      const speaking = bash('for i in 1 2 3 4 5 6; do sleep 0.1; echo $i >&2; done; echo end; sleep 600');
      const end = await run(request(speaking, { idleTimeoutMs: 400 }));
      expect(end.ended).toEqual({ type: 'idle', afterMs: 400 });
      expect(end.stdout.head.toString()).toBe('end\n');
    });

    it('and the first cause is reported, whatever comes later', async () => {
      const controller = new AbortController();
      const file = bench.path('first-cause.pid');
      const running = run(
        request(ignoring(file), { signal: controller.signal, timeoutMs: 400, graceMs: 1_000 }),
      );
      await pidIn(file);
      controller.abort('first');
      expect((await running).ended).toEqual({ type: 'aborted', reason: 'first' });
    });

    it('and may still print something and choose its exit code', async () => {
      const polite = bash('trap "echo bye; exit 9" TERM; echo ready; while :; do sleep 0.02; done');
      const controller = new AbortController();
      const end = await run(
        request(polite, { signal: controller.signal, onOutput: () => controller.abort('asked') }),
      );
      expect(end.exitCode).toBe(9);
      expect(end.stdout.head.toString()).toBe('ready\nbye\n');
    });

    it('without other processes of the same run', async () => {
      const other = new AbortController();
      const env = { PATH: process.env['PATH'] ?? '', ORCHESTRATE_MARK: 'the-run' };
      const file = bench.path('other.pid');
      const running = run(request(bash(`echo $$ > ${file}; exec sleep 600`), { env, signal: other.signal }));
      const pid = await pidIn(file);
      await run(request(['sleep', '600'], { env, timeoutMs: 20 }));
      expect(isAlive(pid)).toBe(true);
      other.abort();
      await running;
    });

    it('but not by a limit longer than any timer', async () => {
      const end = await run(request(['sleep', '0.1'], { timeoutMs: 2 ** 40, idleTimeoutMs: 2 ** 40 }));
      expect(end.ended).toBeUndefined();
    });
  });
}
