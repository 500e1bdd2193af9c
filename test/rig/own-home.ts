/**
 * Every test stands in folders of its own: what it starts finds an empty home, and git knows no settings but those of the test. Read in once,
 * before the first test file.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export default function setUp(): () => void {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-home-'));
  Object.assign(process.env, {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    // One for all tests: a program that is started for the first time takes longer.
    XDG_CACHE_HOME: path.join(home, '.cache'),
    GIT_CONFIG_GLOBAL: os.devNull,
    GIT_CONFIG_NOSYSTEM: '1',
  });
  // Of a git that has started the tests, a hook of the user's say.
  for (const name of Object.keys(process.env)) {
    if (/^GIT_(DIR|WORK_TREE|INDEX_FILE|AUTHOR_|COMMITTER_|CONFIG_(COUNT|KEY_|VALUE_|PARAMETERS))/.test(name))
      delete process.env[name];
  }
  return () => fs.rmSync(home, { recursive: true, force: true });
}
