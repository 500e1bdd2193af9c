import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { expect, it } from 'vitest';

it('tests have their own home, and git without settings of the user or the machine', () => {
  expect(os.homedir()).toBe(process.env['HOME']);
  expect(fs.readdirSync(os.homedir())).not.toContain('.gitconfig');
  const settings = execFileSync('git', ['config', '--list'], { cwd: os.homedir(), encoding: 'utf8' });
  expect(settings).toBe('');
});

it('tests have the permissions, the terminal and the language that they expect, and no keys or proxies', () => {
  expect(process.umask()).toBe(0o022);
  expect(process.env).toMatchObject({ TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' });
  const names = Object.keys(process.env);
  expect(names.filter((name) => /^(?:CI|COLUMNS|EDITOR|PAGER)$|_proxy$|^ANTHROPIC_/i.test(name))).toEqual([]);
});
