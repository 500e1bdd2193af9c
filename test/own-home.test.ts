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
