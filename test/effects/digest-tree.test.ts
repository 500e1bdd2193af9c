import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDigestTree } from '../../src/effects/digest-tree.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { effectContext } from './effect-site.ts';

const digestTree = createDigestTree(runProcess);

describe.each(['git', 'scan'] as const)('the digest of a tree by %s', (by) => {
  function tree() {
    const folder = path.join(temporaryFolder(), 'work');
    writeFiles(folder, { 'a.txt': '1', 'deep/b.txt': '2', 'ws/task/notes.md': 'x' });
    if (by === 'git') {
      const git = (...argv: readonly string[]) => execFileSync('git', argv, { cwd: folder, stdio: 'ignore' });
      git('init', '-q');
      writeFiles(folder, { '.gitignore': 'ignored/\n' });
      git('add', 'a.txt', 'deep', '.gitignore');
      git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
    }
    const look = async () => {
      const output = await digestTree(
        { except: [path.join(folder, 'ws/task')] },
        effectContext(path.dirname(folder)),
      );
      expect(output.by).toBe(by);
      return output.digest;
    };
    return { folder, look };
  }

  it('stays the same while no file changes, whatever happens in the excluded folders and in the runs', async () => {
    const { folder, look } = tree();
    const before = await look();
    writeFiles(folder, {
      'ws/task/notes.md': 'more',
      'ws/task/.status.json': '{}',
      '.orchestrate/runs/x/journal.jsonl': 'y',
    });
    expect(await look()).toBe(before);
  });

  it('changes when a file is added, changed again, or removed', async () => {
    const { folder, look } = tree();
    const seen = [await look()];
    writeFiles(folder, { 'new.txt': 'n' });
    seen.push(await look());
    writeFiles(folder, { 'a.txt': '22' });
    seen.push(await look());
    writeFiles(folder, { 'a.txt': '333' });
    seen.push(await look());
    fs.rmSync(path.join(folder, 'deep/b.txt'));
    seen.push(await look());
    writeFiles(folder, { 'ws/other/x.txt': 'of another workspace' });
    seen.push(await look());
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('the digest of a repository', () => {
  it('changes with a commit, but not with ignored files', async () => {
    const folder = path.join(temporaryFolder(), 'work');
    fs.mkdirSync(folder);
    const git = (...argv: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...argv], {
        cwd: folder,
        stdio: 'ignore',
      });
    git('init', '-q');
    writeFiles(folder, { '.gitignore': 'out/\n' });
    const look = async () => (await digestTree({ except: [] }, effectContext(path.dirname(folder)))).digest;
    const empty = await look();
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    const committed = await look();
    expect(committed).not.toBe(empty);
    writeFiles(folder, { 'out/build.js': 'x' });
    expect(await look()).toBe(committed);
  });
});
