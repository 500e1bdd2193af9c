import { describe, expect, it } from 'vitest';
import { Talk, text } from './rig.ts';

describe('files that do not belong to a conversation', () => {
  it('stay in its folder when it is removed or archived, and are reported', async () => {
    const talk = new Talk({ says: [[text('Done.')]] });
    for (const id of ['first', 'second', 'third'])
      await talk.converse(['run', 'talk', '--session', id, '-q']);
    const mine = ['second', 'third'].flatMap((id) => [
      `talk/sessions/${id}/notes.md`,
      `talk/sessions/${id}/prompts/iteration_1.txt`,
      `talk/sessions/${id}/state/yarn.lock`,
    ]);
    talk.write(Object.fromEntries(mine.map((name) => [name, 'mine'])));
    const removed = await talk.converse(['clean', 'talk', '--session', 'second', '--force']);
    expect(removed.stderr).toContain(
      'note: `talk/sessions/second` was kept: it contains `notes.md`, `prompts`, `state`, not written by orchestrate\n',
    );
    await talk.converse(['archive', 'talk', '--session', 'third']);
    for (const name of mine) expect(talk.read(name), name).toBe('mine');
    expect(talk.list('talk/sessions/second')).toEqual([
      ...['notes.md', 'prompts', 'prompts/iteration_1.txt', 'state', 'state/yarn.lock'],
    ]);
  });

  it('are not overwritten by the first conversation of a workspace', async () => {
    const mine = { 'talk/prompts/iteration_001.txt': 'mine', 'talk/state/message_history.jsonl': 'mine\n' };
    const talk = new Talk({ says: [[text('Done.')]], files: mine });
    expect(await talk.converse(['run', 'talk', '--session', 'one', '-q'])).toMatchObject({ exitCode: 0 });
    for (const [name, words] of Object.entries(mine)) expect(talk.read(name)).toBe(words);
    expect(talk.has('talk/sessions/one/prompts/iteration_001.txt')).toBe(true);
    talk.write({ 'talk/sessions/two/responses/iteration_001.json': 'mine' });
    const refused = await talk.converse(['run', 'talk', '--session', 'two', '-q']);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr:
        'error: `talk/sessions/two` contains files of another conversation; nothing was overwritten\nhelp: move them away or choose another `--session`\n',
    });
    expect(talk.read('talk/sessions/two/responses/iteration_001.json')).toBe('mine');
  });
});
