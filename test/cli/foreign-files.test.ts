import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const HELLO = 'name: w\nsteps:\n  - {name: Hello, command: [echo, hello]}\n';
const ASKS = 'name: w\nsteps:\n  - {name: Sure, approve: {message: "Continue?", choices: [yes, no]}}\n';

describe('files that orchestrate did not write', () => {
  it('stop `clean` from removing the folder of a run', async () => {
    const workspace = new Workspace({ 'w.yaml': HELLO });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const [first = '', second = ''] = workspace.runs();
    for (const name of ['notes.md', 'logs/mine.txt'])
      fs.writeFileSync(path.join(workspace.runFolder(first), name), 'mine');
    const ended = await workspace.run(['clean', '--force', '--older-than', '0m']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toBe(
      `note: run \`${first}\` was kept: it contains \`logs/mine.txt\`, \`notes.md\`, not written by orchestrate\nremoved 1 run\n`,
    );
    expect(workspace.runs()).toEqual([first]);
    expect(workspace.runs()).not.toContain(second);
    expect(await workspace.run(['show', first])).toMatchObject({ exitCode: 0 });
  });

  it('are kept when `approve` writes an answer in their place', async () => {
    const workspace = new Workspace({ 'w.yaml': ASKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const answer = path.join(workspace.runFolder(), 'answers', 'Sure.json');
    fs.mkdirSync(path.dirname(answer), { recursive: true });
    fs.writeFileSync(answer, 'I would say yes, but ask Ada\n');
    const ended = await workspace.run(['approve', 'last', 'Sure', '--choose', 'yes']);
    expect(ended.stderr).toContain('Sure.json.kept-1`\n');
    expect(fs.readFileSync(`${answer}.kept-1`, 'utf8')).toBe('I would say yes, but ask Ada\n');
    expect(await workspace.run(['resume', 'last', '--quiet'])).toMatchObject({ exitCode: 0 });
  });

  it('are kept when a status is written in their place', async () => {
    const workspace = new Workspace({ 'artifacts/qa/status.json': '{"my": "own"}' });
    const argv = ['status', 'write', '--agent', 'qa', '--step', 'Test', '--success', 'true'];
    expect(await workspace.run(argv)).toMatchObject({
      stderr: 'note: kept `artifacts/qa/status.json` as `status.json.kept-1`: it was not a status file\n',
    });
    expect(workspace.read('artifacts/qa/status.json.kept-1')).toBe('{"my": "own"}');
    expect(await workspace.run(argv)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('are kept when `--archive-processed` writes its archive in their place', async () => {
    const workspace = new Workspace({ 'w.yaml': HELLO, 'processed/a/one.task': 'one', 'out.zip': 'mine' });
    const ended = await workspace.run(['run', 'w.yaml', '--archive-processed', 'out.zip']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('out.zip` as `out.zip.kept-1`');
    expect(workspace.read('out.zip.kept-1')).toBe('mine');
    expect(workspace.read('out.zip').slice(0, 2)).toBe('PK');
  });

  it('stop a run if they are in place of its lock', async () => {
    const workspace = new Workspace({ 'w.yaml': ASKS });
    await workspace.run(['run', 'w.yaml', '--quiet']);
    const lock = path.join(workspace.runFolder(), 'lock');
    fs.writeFileSync(lock, 'mine\n');
    for (const argv of [
      ['resume', 'last'],
      ['clean', '--force', '--older-than', '0m', '--status', 'waiting'],
    ]) {
      const ended = await workspace.run(argv);
      expect(ended.exitCode, ended.stderr).toBe(1);
      expect(ended.stderr).toContain('another file is in the place of its lock');
    }
    expect(fs.readFileSync(lock, 'utf8')).toBe('mine\n');
  });
});
