import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';

/** A workspace on a file system of `kib` KiB. */
function smallDisk(kib: number, files: { readonly [name: string]: string }): Workspace {
  const workspace = new Workspace();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', workspace.folder]);
  if (mounted.status !== 0) throw new Error(`cannot mount: ${mounted.stderr}`);
  onTestFinished(() => {
    spawnSync('umount', ['-l', workspace.folder]);
  });
  workspace.write(files);
  return workspace;
}

/** Fills the disk but for so many KiB. */
function fill(workspace: Workspace, leavingKib: number): void {
  const { bavail, bsize } = fs.statfsSync(workspace.folder);
  fs.writeFileSync(
    path.join(workspace.folder, 'filler'),
    Buffer.alloc(Math.max(0, bavail * bsize - leavingKib * 1024)),
  );
}

const canMount = (() => {
  const probe = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]).status === 0;
  if (mounted) spawnSync('umount', ['-l', probe]);
  fs.rmdirSync(probe);
  return mounted;
})();

// Mounting needs root; without it there is no disk small enough to fill.
describe.skipIf(!canMount)('a full disk', () => {
  it('stops a run whose journal cannot be written; it can be resumed once there is space', async () => {
    const elsewhere = new Workspace();
    const yaml = `steps:
  - {name: Items, command: [seq, "40"], output_capture: lines}
  - name: Loop
    for_each:
      items_from: steps.Items.lines
      steps: [{name: Work, command: [bash, -c, "echo x >> $0/done-\${loop.index}; head -c 3000 note.txt", "${elsewhere.folder}"]}]
`;
    const workspace = smallDisk(8192, { 'w.yaml': yaml, 'note.txt': 'y'.repeat(3000) });
    fill(workspace, 120);
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the disk is full (ENOSPC)');
    const runEnded = workspace.journal().find(({ type }) => type === 'run-ended');
    expect(runEnded === undefined || (runEnded as { status?: string }).status === 'failed').toBe(true);
    const done = elsewhere.list('').length;
    expect(done).toBeGreaterThan(1);
    expect(done).toBeLessThan(40);

    // Still full: still a clear failure.
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 1 });
    fs.rmSync(path.join(workspace.folder, 'filler'));
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()).toMatchObject({ status: 'completed' });
    const twice = elsewhere.list('').filter((name) => countOf(elsewhere, name) > 1);
    expect(elsewhere.list('')).toHaveLength(40);
    // Those running when the disk was full, once per attempt.
    expect(twice.length).toBeLessThanOrEqual(2);
  });

  it('fails a step whose `output_file` cannot be written completely', async () => {
    const workspace = smallDisk(512, {
      'w.yaml': `steps:
  - {name: X, command: [head, -c, "600000", /dev/zero], output_file: out.bin}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the disk is full (ENOSPC)');
    expect(ended.stderr).not.toContain('completed');
  });

  it('is reported at once if not even the run can start', async () => {
    const workspace = smallDisk(64, { 'w.yaml': 'steps:\n  - {name: X, command: [touch, STARTED]}\n' });
    fill(workspace, 0);
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(
      /^error: cannot write .*: the disk is full \(ENOSPC\)\nhelp: free disk space/,
    );
    expect(workspace.has('STARTED')).toBe(false);
  });
});

// Root may write everywhere, so a read-only mount replaces the missing permission.
describe.skipIf(!canMount)('a workspace that cannot be written', () => {
  it('is a clear failure with exit code 1, and nothing is started', async () => {
    const elsewhere = new Workspace();
    const workspace = smallDisk(64, {
      'w.yaml': `steps:\n  - {name: X, command: [touch, ${elsewhere.folder}/STARTED]}\n`,
    });
    spawnSync('mount', ['-o', 'remount,ro', workspace.folder]);
    const ended = await workspace.run(['run', 'w.yaml']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(/^error: cannot write .*: the file system is read-only \(EROFS\)\n/);
    expect(elsewhere.has('STARTED')).toBe(false);
  });
});
