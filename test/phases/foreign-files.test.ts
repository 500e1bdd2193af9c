import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refusingToBeRead } from '../rig/refusing.ts';
import { agentEnded, PhasesSite, VIEW } from './site.ts';

const KEPT = `kept \`${VIEW}\` as \`${VIEW}.kept-1\`: it was not written by orchestrate, or has been changed since`;

async function twoPhases(): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create('First', 'Second');
  return site;
}

describe('the view of the phases', () => {
  it('replaces a file that existed before, which is kept', async () => {
    const site = new PhasesSite({ [VIEW]: '# My notes\n' });
    const created = await site.phases('create', 'Write it', '--phase', 'First');
    expect(created.stderr).toContain(`note: ${KEPT}\n`);
    expect(site.read(`${VIEW}.kept-1`)).toBe('# My notes\n');
    expect(site.read(VIEW)).toContain('# Workflow Status: Write it');
  });

  it('is kept if it was edited, and only then', async () => {
    const site = await twoPhases();
    expect((await site.phases('start')).stderr).toBe('');
    site.write({ [VIEW]: `${site.read(VIEW)}\nRemember the milk.\n` });
    expect((await site.phases('complete', 'phase_0')).stderr).toContain(`note: ${KEPT}\n`);
    expect(site.read(`${VIEW}.kept-1`)).toContain('Remember the milk.');
    await site.phases('complete', 'phase_1');
    expect(site.list('.claude').filter((name) => name.includes('.kept-'))).toHaveLength(1);
  });

  it('is kept by a hook too, which logs it', async () => {
    const site = await twoPhases();
    await site.phases('start');
    site.write({ [VIEW]: 'Mine.\n' });
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }));
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.statuses()).toEqual(['completed', 'active']);
    expect(site.read(`${VIEW}.kept-1`)).toBe('Mine.\n');
    expect(site.read('.claude/state/hook.log')).toContain(`post-tool-use: ${KEPT}\n`);
  });
});

describe('files of another tool in `.claude/state`', () => {
  const FOREIGN = {
    '.claude/state/session.json': '{"tool": "another", "cursor": 7}\n',
    '.claude/state/todos.json': 'milk, bread\n',
  };

  it('are kept when a hook writes there', async () => {
    const site = await twoPhases();
    site.write(FOREIGN);
    await site.hook('post-tool-use', {
      ...{ hook_event_name: 'PostToolUse', session_id: 's1', transcript_path: `${site.folder}/t.jsonl` },
      ...{ tool_name: 'TodoWrite', tool_input: { todos: [{ content: 'Mine', status: 'pending' }] } },
    });
    for (const [name, text] of Object.entries(FOREIGN)) {
      expect(site.read(`${name}.kept-1`), name).toBe(text);
      expect(site.read('.claude/state/hook.log')).toContain(`kept \`${name}\` as \`${name}.kept-1\``);
    }
    expect(JSON.parse(site.read('.claude/state/todos.json')).todos).toMatchObject([{ content: 'Mine' }]);
  });

  it('are kept when they are links', async () => {
    const site = await twoPhases();
    const name = '.claude/state/session.json';
    site.write({ 'mine.txt': 'mine' });
    fs.symlinkSync('../../mine.txt', `${site.folder}/${name}`);
    const stop = { hook_event_name: 'Stop', session_id: 's1', transcript_path: `${site.folder}/t.jsonl` };
    expect(await site.hook('stop', stop)).toMatchObject({ exitCode: 0 });
    expect(fs.readlinkSync(`${site.folder}/${name}.kept-1`)).toBe('../../mine.txt');
    expect(site.read('.claude/state/hook.log')).toContain(`kept \`${name}\` as \`${name}.kept-1\``);
    expect(JSON.parse(site.read(name))).toMatchObject({ session_id: 's1' });
    expect(site.read('mine.txt')).toBe('mine');
  });

  it.each(['session.json', 'todos.json'])('are not what the disk refuses to read: %s', async (name) => {
    const site = await twoPhases();
    const wrote = {
      ...{ hook_event_name: 'PostToolUse', session_id: 's1', transcript_path: `${site.folder}/t.jsonl` },
      ...{ tool_name: 'TodoWrite', tool_input: { todos: [{ content: 'Mine', status: 'pending' }] } },
    };
    await site.hook('post-tool-use', wrote);
    const before = site.read(`.claude/state/${name}`);
    const env = refusingToBeRead(site.folder, { kind: 'read', file: `state/${name}`, number: 1 });
    expect(await site.hook('post-tool-use', wrote, env)).toMatchObject({ exitCode: 0 });
    expect(site.has(`.claude/state/${name}.kept-1`)).toBe(false);
    expect(site.read(`.claude/state/${name}`)).toBe(before);
    const log = site.has('.claude/state/hook.log') ? site.read('.claude/state/hook.log') : '';
    expect(log).not.toContain('not written by orchestrate');
  });

  it('are not overwritten in the archive', async () => {
    const site = await twoPhases();
    const { id } = site.document();
    const mine = [`.claude/state/archive/${id}.md`, `.claude/state/archive/${id}.todos.json`];
    site.write({
      ...Object.fromEntries(mine.map((name) => [name, 'mine'])),
      '.claude/state/todos.json': '{"todos": []}',
    });
    expect(await site.phases('archive')).toMatchObject({ exitCode: 0 });
    for (const name of mine) expect(site.read(name), name).toBe('mine');
    expect(site.read(`.claude/state/archive/${id}.md.kept-1`)).toContain('# Workflow Status');
    expect(site.read(`.claude/state/archive/${id}.todos.json.kept-1`)).toBe('{"todos": []}');
  });

  it('stay in place when a folder is where the todo list is archived', async () => {
    const site = await twoPhases();
    site.write({ '.claude/state/todos.json/mine.txt': 'mine' });
    await site.phases('archive');
    expect(site.read('.claude/state/todos.json/mine.txt')).toBe('mine');
  });

  it('named like the record of `hook install` are neither replaced nor removed', async () => {
    const memory = '.claude/state/hook-install.json';
    const site = new PhasesSite({
      [memory]: '{"installed-by": "me"}',
      '.claude/settings.json': '{"model": "x"}\n',
    });
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    expect(site.read('.claude/settings.json')).toContain('"hooks"');
    await site.run(['hook', 'uninstall']);
    expect(site.read(memory)).toBe('{"installed-by": "me"}');
    expect(JSON.parse(site.read('.claude/settings.json'))).toEqual({ model: 'x' });
  });
});
