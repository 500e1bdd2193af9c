/** Standard input of a process, in every way of running one. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunProcess } from '../../src/process/run-process.ts';
import { bash, createBench, request, runnersOf, withOpen } from './rig.ts';

export function standardInputSuite(runProcess: RunProcess): void {
  const bench = createBench();
  const { run, refused } = runnersOf(runProcess);

  describe('standard input', () => {
    it('is empty by default', async () => {
      const end = await run(request(bash('cat; readlink /proc/self/fd/0')));
      expect(end.stdout.head.toString()).toBe('/dev/null\n');
    });

    it('can be a text larger than any pipe', async () => {
      const text = 'é0123456789'.repeat(1_000_000);
      const end = await run(request(bash('sha256sum; wc -c'), { stdin: { type: 'text', text } }));
      const { createHash } = await import('node:crypto');
      expect(end.stdout.head.toString()).toContain(createHash('sha256').update(text).digest('hex'));
    });

    it('that is a text can be opened by its name', async () => {
      const stdin = { type: 'text', text: 'in\n' } as const;
      const end = await run(request(bash('cat /dev/stdin'), { stdin }));
      expect(end).toMatchObject({ exitCode: 0 });
      expect(`${end.stdout.head}${end.stderr.head}`).toBe('in\n');
    });

    it('that is a text does not look like a network connection to a shell, which would run a startup file of the user', async () => {
      fs.writeFileSync(bench.path('.bashrc'), 'echo set up');
      const env = { PATH: process.env['PATH'] ?? '', HOME: bench.folder };
      const end = await run(request(['bash', '-c', 'cat'], { stdin: { type: 'text', text: 'in' }, env }));
      expect(end.stdout.head.toString()).toBe('in');
    });

    it('that is a text has no name in any folder', async () => {
      const script = 'readlink /proc/self/fd/0';
      const end = await run(request(bash(script), { stdin: { type: 'text', text: 'in' } }));
      const name = end.stdout.head.toString().trim();
      expect(fs.existsSync(name), name).toBe(false);
    });

    it('that is an empty text ends at once', async () => {
      const end = await run(request(['cat'], { stdin: { type: 'text', text: '' } }));
      expect(end).toMatchObject({ exitCode: 0, stdout: { bytes: 0 } });
    });

    it('can be a file that is already open, wherever its name leads now, and stays open', async () => {
      const path = bench.path('given-input');
      fs.writeFileSync(path, 'given');
      await withOpen(
        path,
        async ({ descriptor }) => {
          fs.unlinkSync(path);
          fs.writeFileSync(path, 'another');
          const end = await run(request(['cat'], { stdin: { type: 'file', path, descriptor } }));
          expect(end.stdout.head.toString()).toBe('given');
          expect(fs.fstatSync(descriptor).size).toBe(5);
        },
        'r',
      );
    });

    it('may be closed by the child before all of it is read', async () => {
      const stdin = { type: 'text', text: 'x'.repeat(20_000_000) } as const;
      const end = await run(request(bash('head -c 3; exec 0<&-; echo; sleep 0.1; exit 4'), { stdin }));
      expect(end.stdout.head.toString()).toBe('xxx\n');
      expect(end.exitCode).toBe(4);
    });

    it('can be a file', async () => {
      fs.writeFileSync(bench.path('input'), 'from a file');
      const stdin = { type: 'file', path: bench.path('input') } as const;
      expect((await run(request(['cat'], { stdin }))).stdout.head.toString()).toBe('from a file');
    });

    it('that is a missing file starts nothing', async () => {
      const path = bench.path('no-such-input');
      expect(await refused(request(['cat'], { stdin: { type: 'file', path } }))).toEqual({
        type: 'file',
        operation: 'read',
        path,
        code: 'ENOENT',
      });
    });
  });
}
