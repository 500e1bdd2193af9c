import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const W =
  'name: W\nsteps:\n  - {name: S, command: [bash, -c, "mkdir -p processed && echo x > processed/a"]}\n';

test('`--archive-processed` takes any file that the user may write', async () => {
  const workspace = new Workspace({ 'w.yaml': W, 'sub/x': '' });
  const elsewhere = temporaryFolder();
  const linked = path.join(elsewhere, 'link');
  fs.symlinkSync(elsewhere, linked);
  const targets = [
    path.join(elsewhere, 'a.zip'),
    path.join(linked, 'b.zip'),
    `../${path.basename(elsewhere)}/c.zip`,
    'new/d.zip',
  ];
  for (const to of targets) {
    expect(await workspace.run(['run', 'w.yaml', '-q', '--archive-processed', to])).toMatchObject({
      exitCode: 0,
    });
    expect(fs.readFileSync(path.resolve(workspace.folder, to)).subarray(0, 2).toString()).toBe('PK');
  }
  expect(fs.readdirSync(elsewhere).sort()).toEqual(['a.zip', 'b.zip', 'c.zip', 'link']);
  // An archive that is there is kept, wherever it is.
  fs.writeFileSync(path.join(elsewhere, 'a.zip'), 'mine');
  await workspace.run(['run', 'w.yaml', '-q', '--archive-processed', path.join(elsewhere, 'a.zip')]);
  expect(fs.readFileSync(path.join(elsewhere, 'a.zip.kept-1'), 'utf8')).toBe('mine');
});

test('what cannot be written is refused before anything starts', async () => {
  const workspace = new Workspace({ 'w.yaml': W, 'sub/x': '', 'processed/y': '' });
  fs.symlinkSync('processed', path.join(workspace.folder, 'way'));
  const help = 'help: name another file, or none to write it to the run folder\n';
  for (const [to, why] of [
    ['processed/x.zip', 'the archive must be outside `processed/`'],
    ['way/x.zip', 'the archive must be outside `processed/`'],
    ['sub/../processed/in/x.zip', 'the archive must be outside `processed/`'],
    ['sub', 'it is a folder'],
    ['../none-of-this-name/x.zip', 'its folder cannot be written: no such file or folder (ENOENT)'],
  ] as const)
    expect(await workspace.run(['run', 'w.yaml', '--archive-processed', to])).toMatchObject({
      exitCode: 2,
      stderr: `error: cannot use \`--archive-processed ${to}\`: ${why}\n${help}`,
    });
  expect(workspace.has('.orchestrate')).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)(
  'a folder of another user is refused before anything starts',
  async () => {
    const workspace = new Workspace({ 'w.yaml': W });
    const closed = temporaryFolder();
    fs.chmodSync(closed, 0o700);
    fs.chownSync(workspace.folder, 12_345, 12_345);
    const to = path.join(closed, 'x.zip');
    const ended = await workspace.run(['run', 'w.yaml', '--archive-processed', to], {
      uid: 12_345,
      env: { XDG_CACHE_HOME: '' },
    });
    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      expect.stringContaining('its folder cannot be written: permission denied'),
    ]);
  },
);
