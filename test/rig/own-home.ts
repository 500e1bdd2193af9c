/**
 * Gives every test its own folders, language and permissions: the processes it starts find an empty home, git has no settings but those of the test, and the
 * terminal, the proxies and the keys of whoever runs the tests do not count. Loaded once, before the first test file.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Variables that programs obey, and keys that they would use. */
const OF_THE_USER =
  /^(?:CI|COLUMNS|LINES|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|COLORTERM|EDITOR|VISUAL|PAGER|BROWSER|BASH_ENV|ENV|GIT_(?:EDITOR|PAGER|SSH|SSH_COMMAND|ASKPASS)|(?:https?|all|no)_proxy|(?:ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE)\w*)$/i;

export default function setUp(): () => void {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-home-'));
  Object.assign(process.env, {
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_STATE_HOME: path.join(home, '.local', 'state'),
    // Shared by all tests: the first start of a program takes longer.
    XDG_CACHE_HOME: path.join(home, '.cache'),
    GIT_CONFIG_GLOBAL: os.devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    // Programs warn about a locale that is not installed, and translate their messages.
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
  });
  const umask = process.umask(0o022);
  // Set by CI services and by people; tests of them set their own.
  for (const name of ['CI', 'FORCE_COLOR', 'NO_COLOR']) delete process.env[name];
  for (const name of Object.keys(process.env)) {
    if (OF_THE_USER.test(name)) delete process.env[name];
    // Set by git if a git hook started the tests.
    if (/^GIT_(DIR|WORK_TREE|INDEX_FILE|AUTHOR_|COMMITTER_|CONFIG_(COUNT|KEY_|VALUE_|PARAMETERS))/.test(name))
      delete process.env[name];
  }
  return () => {
    process.umask(umask);
    fs.rmSync(home, { recursive: true, force: true });
  };
}
