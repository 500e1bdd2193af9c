import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Workspace } from './rig/orchestrate.ts';
import { temporaryFolder } from './rig/temporary-folder.ts';

/** What a machine has that has only Node on it. */
const BASIC_TOOLS = ['bash', 'basename', 'cat', 'cp', 'echo', 'mkdir', 'mv'];

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

describe('orchestrate demo', () => {
  it('plays the whole workflow with nothing but Node and basic tools on the PATH', async () => {
    const workspace = new Workspace();
    const ended = await workspace.run(['demo', '--dir', 'stage'], {
      env: { PATH: barePath() },
      binary: installed(),
    });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(workspace.list('.').filter((name) => !/\/|^\.config/.test(name))).toEqual(['stage']);

    expect(commandsIn(ended.stderr)).toEqual([
      'orchestrate run team.yaml',
      'orchestrate approve last Release --choose ship --comment "QA has passed it" --by demo',
      'orchestrate resume last',
      'orchestrate report last --format html --output report.html',
      'orchestrate report last --format md --output report.md',
    ]);
    expect(ended.stdout).toContain(path.join(workspace.folder, 'stage'));

    const stage = new Workspace();
    fs.cpSync(path.join(workspace.folder, 'stage'), stage.folder, { recursive: true });
    expect(stage.state()).toMatchObject({
      status: 'completed',
      // QA sent one task back: the loop was gone through twice.
      steps: { SentBack: { visits: 2, status: 'skipped' }, Release: { output: 'ship' } },
    });
    const greeting = execFileSync(process.execPath, ['release/src/main.js', '  Ada '], { cwd: stage.folder });
    expect(greeting.toString()).toBe('Hello, Ada!\nGoodbye, Ada!\n');
    expect(stage.list('processed').filter((name) => name.endsWith('.task'))).toHaveLength(6);
    expect(stage.read('report.html')).toContain('</html>');
    expect(stage.read('report.md')).toContain('team');
  });

  it('ends with suggestions that work', async () => {
    const workspace = new Workspace();
    const { stdout } = await workspace.run(['demo', '--dir', 'stage']);
    const stage = new Workspace();
    fs.cpSync(path.join(workspace.folder, 'stage'), stage.folder, { recursive: true });
    const suggested = [...stdout.matchAll(/^ {2}orchestrate ((?:show|logs|explain) .*)$/gm)];
    expect(suggested).toHaveLength(3);
    expect(stdout).toContain('  orchestrate serve --open  ');
    for (const [, line] of suggested) {
      const looked = await stage.run((line ?? '').split(' '));
      expect(looked, line).toMatchObject({ exitCode: 0 });
      expect(looked.stdout, line).not.toBe('');
    }
  });

  it('leaves a folder alone that holds anything', async () => {
    const workspace = new Workspace({ 'mine/letter.txt': 'dear reader' });
    const ended = await workspace.run(['demo', '--dir', 'mine']);
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: 'error: `mine` is not empty\nhelp: use a new or empty folder\n',
    });
    expect(await workspace.run(['demo', '--dir', 'mine/letter.txt/stage'])).toMatchObject({
      exitCode: 2,
      stderr:
        'error: `mine/letter.txt/stage` cannot be used: a part of the path is not a folder (ENOTDIR)\nhelp: use a new or empty folder\n',
    });
    expect(workspace.list('.')).toEqual(['mine', 'mine/letter.txt']);
  });
});

/** The program as the package ships it, with no other package beside it. */
function installed(): string {
  const folder = temporaryFolder();
  const { files } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  for (const entry of ['package.json', ...files]) {
    fs.cpSync(path.join(ROOT, entry), path.join(folder, entry), { recursive: true });
  }
  return path.join(folder, 'bin', 'orchestrate.js');
}

function barePath(): string {
  const folder = temporaryFolder();
  fs.symlinkSync(process.execPath, path.join(folder, 'node'));
  for (const tool of BASIC_TOOLS) {
    const found = (process.env['PATH'] ?? '')
      .split(path.delimiter)
      .map((entry) => path.join(entry, tool))
      .find((file) => fs.existsSync(file));
    if (found !== undefined) fs.symlinkSync(fs.realpathSync(found), path.join(folder, tool));
  }
  return folder;
}

function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^\$ (orchestrate .*)$/gm)].map((match) => match[1] ?? '');
}
