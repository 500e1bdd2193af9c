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

it('tests have the permissions, the terminal and the language that they expect, and nothing of who runs them', () => {
  expect(process.umask()).toBe(0o022);
  expect(process.env).toMatchObject({ TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' });
  const names = Object.keys(process.env);
  const known =
    /^(?:PATH|USER|LOGNAME|HOME|TERM|LC_ALL|TMPDIR|GIT_CONFIG_(?:GLOBAL|NOSYSTEM)|XDG_(?:CONFIG|STATE|CACHE)_HOME)$/;
  expect(
    names.filter(
      (name) =>
        !known.test(name) &&
        /CI|COLOR|EDITOR|PAGER|PROXY|TOKEN|KEY|LANG|TZ|OPTIONS|^GIT_|^npm_(?!config_registry)/i.test(name),
    ),
  ).toEqual([]);
});

it('the temporary folder of the tests needs no quotes in a script, and is not a link', () => {
  expect(os.tmpdir()).toMatch(/^[\w./-]+$/);
  expect(fs.realpathSync(os.tmpdir())).toBe(os.tmpdir());
});
