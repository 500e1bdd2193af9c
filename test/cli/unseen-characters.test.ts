/** Titles, messages and names that would be displayed as something else. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BINARY, Workspace } from '../rig/orchestrate.ts';

/** Displays `safe` as `efas`; a joiner, a zero-width space, a direction mark. */
const EVIL = 'pay\u200dpal\u202eefas\u202c\u2066x\u2069\u200b\u200f\u061c\u2060end';
const SHOWN = 'pay<U+200D>pal<U+202E>efas<U+202C><U+2066>x<U+2069><U+200B><U+200F><U+061C><U+2060>end';
const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

function onTerminal(site: Workspace, argv: readonly string[], answer = ''): string {
  const words = [process.execPath, BINARY, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const { stdout } = spawnSync('script', ['-qec', words.join(' '), '/dev/null'], {
    cwd: site.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: site.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      TERM: 'xterm',
      COLUMNS: '200',
    },
    encoding: 'utf8',
    input: answer,
  });
  return stdout;
}

describe('invisible characters are shown', () => {
  it('in the titles of tasks, on the screen and on generated pages', async () => {
    const site = new Workspace();
    const id = (await site.run(['session', 'start', `Work ${EVIL}`])).stdout.trim();
    await site.run(['task', 'create', '--title', EVIL, '--requirement', EVIL]);
    for (const argv of [
      ['task', 'list'],
      ['session', 'status'],
      ['session', 'list'],
      ['execute', '--dry-run', '--agent', 'mock'],
    ]) {
      const { stdout, stderr } = await site.run(argv);
      expect(`${stdout}${stderr}`, argv.join(' ')).toContain(SHOWN);
      expect(`${stdout}${stderr}`, argv.join(' ')).not.toMatch(UNSEEN);
    }
    for (const page of ['TODO_LIST.md', 'IMPL_PLAN.md']) {
      const text = site.read(`.workflow/${id}/${page}`);
      expect(text).toContain(SHOWN.replaceAll('<U', '\\<U'));
      expect(text).not.toMatch(UNSEEN);
    }
  });

  it('in a document printed on a terminal, but not in a pipe', async () => {
    const site = new Workspace();
    await site.run(['session', 'start', 'Work']);
    await site.run(['task', 'create', '--title', EVIL]);
    expect(onTerminal(site, ['task', 'show', 'IMPL-1'])).toContain(SHOWN);
    expect(JSON.parse((await site.run(['task', 'show', 'IMPL-1'])).stdout)).toMatchObject({ title: EVIL });
  });

  it('in phases, their page and their deliverables', async () => {
    const site = new Workspace();
    await site.run(['phases', 'create', EVIL, '--phase', `${EVIL}::engineer`]);
    const shown = await site.run(['phases', 'show']);
    expect(shown.stdout).toContain(SHOWN);
    const page = site.read('.claude/workflow_state_system.md');
    expect(page).toContain(SHOWN);
    expect(`${shown.stdout}${page}`).not.toMatch(UNSEEN);
    expect(JSON.parse((await site.run(['phases', 'show', '--json'])).stdout)).toMatchObject({ task: EVIL });
  });

  it('in a question, wherever it is asked', async () => {
    const steps = [{ name: 'Ask', approve: { message: `Remove ${EVIL}?`, choices: ['yes', 'no'] } }];
    const site = new Workspace({ 'w.yaml': JSON.stringify({ name: EVIL, steps }) });
    const run = await site.run(['run', 'w.yaml']);
    expect(run.exitCode).toBe(3);
    const views = [run.stderr, onTerminal(site, ['show', 'last']), onTerminal(site, ['resume', 'last'])];
    for (const text of [...views, (await site.run(['report', 'last', '--output', '-'])).stdout]) {
      expect(text).not.toMatch(UNSEEN);
      expect(text.replaceAll('\\', '')).toContain('pay<U+200D>pal<U+202E>efas');
    }
    const html = (await site.run(['report', 'last', '--format', 'html', '--output', '-'])).stdout;
    expect(html).not.toMatch(UNSEEN);
    expect(html).toContain('pay&lt;U+200D&gt;pal');
  });

  it('in the choices of a question, in a command that still works when pasted', async () => {
    const choice = `it's \\ ${EVIL}\u001b[31m\nend`;
    const steps = [{ name: 'Ask', approve: { message: '?', choices: [choice, 'no'] } }];
    const site = new Workspace({ 'w.yaml': JSON.stringify({ name: 'w', steps }) });
    const run = await site.run(['run', 'w.yaml']);
    expect(run.stderr).not.toMatch(UNSEEN);
    expect(run.stderr).not.toContain('\u001b[31m');
    const [, words = ''] = /orchestrate (approve .*)/.exec(run.stderr) ?? [];
    const command = `'${process.execPath}' '${BINARY}' ${words}`;
    const env = { PATH: process.env['PATH'], HOME: site.folder, LC_ALL: 'C.UTF-8' };
    expect(spawnSync('bash', ['-c', command], { cwd: site.folder, env, encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    expect((await site.run(['resume', 'last', '--quiet'])).exitCode).toBe(0);
    expect(site.step('Ask').output).toContain(choice);
  });

  it('in the names of files, before asking whether to remove them', async () => {
    const site = new Workspace({
      'w.yaml': JSON.stringify({ name: EVIL, steps: [{ name: 'A', command: ['true'] }] }),
    });
    await site.run(['run', 'w.yaml', '--quiet']);
    const asked = onTerminal(site, ['clean', '--older-than', '0m'], 'n\n');
    expect(asked).not.toMatch(UNSEEN);
    expect(asked).toContain('[y/N]');
    expect(fs.readdirSync(`${site.folder}/.orchestrate/runs`)).toHaveLength(1);
  });
});
