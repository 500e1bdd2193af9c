/** `orchestrate resume <run>` does everything for a conversation that `converse resume` does. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { ask, Talk, text } from './rig.ts';

const WAIT = { name: 'wait', command: ['bash', '-c', 'touch begun; until [ -e go ]; do sleep 0.02; done'] };

/** It was interrupted while its tool was waiting. */
async function interrupted(): Promise<Talk> {
  const talk = new Talk({ says: [[ask('t1', 'wait', {})], [text('Done.')]], tools: [WAIT] });
  const running = talk.startConverse(['run', 'talk', '--session', 'mine']);
  await until(() => talk.has('talk/begun'));
  running.child.kill('SIGINT');
  await running.ended;
  fs.rmSync(path.join(talk.folder, 'talk/begun'));
  return talk;
}

describe('a conversation resumed by its run', () => {
  it('is held while it runs, and its document records how the run ended', async () => {
    const talk = await interrupted();
    const running = talk.start(['resume', 'last']);
    await until(() => talk.has('talk/begun'));
    expect(talk.session()).toMatchObject({ status: 'running' });
    expect(await talk.converse(['archive', 'talk', '--session', 'mine'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`conversation \`mine\` is being run by process ${running.pid}`),
    });
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ exitCode: 143 });
    expect(talk.session()).toMatchObject({ status: 'interrupted' });
    expect(talk.has('talk/state/mine.lock')).toBe(false);
    talk.write({ 'talk/go': '' });
    expect(await talk.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
  });

  it('says that it keeps its settings if its files have changed, and nothing otherwise', async () => {
    const talk = await interrupted();
    talk.write({ 'talk/go': '' });
    const said =
      'warning: the files of this conversation have changed; it keeps the settings it was started with\n';
    const tools = talk.read('talk/config/tools.yaml');
    talk.write({ 'talk/config/tools.yaml': tools.replace('wait', 'wait_for') });
    for (const command of [
      ['resume', 'last'],
      ['converse', 'resume', 'talk'],
    ]) {
      const copy = new Workspace();
      fs.cpSync(talk.folder, copy.folder, { recursive: true });
      const env = { HOME: talk.folder };
      const changed = await copy.run(command, { env });
      expect(changed).toMatchObject({ exitCode: 0 });
      expect(changed.stderr).toContain(said);
    }
    talk.write({ 'talk/config/tools.yaml': tools });
    const ended = await talk.run(['resume', 'last']);
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).not.toContain('have changed');
  });

  it('is refused while another machine may run it', async () => {
    const talk = await interrupted();
    const lock = {
      ...{ pid: 1, startTime: '1', host: 'another-machine', bootId: 'x', nonce: 'a'.repeat(32) },
      acquiredAt: '2020-01-01T00:00:00.000Z',
    };
    talk.write({ 'talk/state/mine.lock': JSON.stringify(lock) });
    expect(await talk.run(['resume', 'last'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('conversation `mine` is being run by process 1 on another-machine'),
    });
  });

  it('is found after its workspace was moved', async () => {
    const talk = await interrupted();
    const moved = new Workspace();
    for (const name of ['talk', '.orchestrate'])
      fs.cpSync(path.join(talk.folder, name), path.join(moved.folder, name), { recursive: true });
    moved.write({ 'talk/go': '' });
    const env = { HOME: talk.folder };
    expect(await moved.run(['resume', 'last'], { env })).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(moved.read('talk/state/mine.json'))).toMatchObject({ status: 'completed' });
    expect(talk.session()).toMatchObject({ status: 'interrupted' });
  });

  it('is not resumed without its files', async () => {
    const talk = await interrupted();
    const [runId] = talk.runs();
    expect(await talk.converse(['archive', 'talk', '--session', 'mine'])).toMatchObject({ exitCode: 0 });
    const before = talk.list('talk');
    expect(await talk.run(['resume', 'last'])).toMatchObject({
      exitCode: 2,
      stderr: `error: conversation \`mine\` of run \`${runId}\` is no longer in \`talk\`\nhelp: resume it where it is now: \`orchestrate converse resume <dir> --session mine\`\n`,
    });
    expect(talk.list('talk')).toEqual(before);
  });
});
