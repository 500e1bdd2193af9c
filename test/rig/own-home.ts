/**
 * Gives every test its own folders, language and permissions: the processes it starts find an empty home, git has no settings but those of the test, and
 * of the environment of whoever runs the tests only a few variables remain: no language, no time zone, no proxies, keys, options of Node or settings of
 * programs. Loaded once, before the first test file.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Where programs are, what the tests ask for themselves, and what Vitest gives its processes. */
const KEPT =
  /^(?:PATH|USER|LOGNAME|TMPDIR|(?:PYENV|ASDF|MISE|VOLTA|NVM|FNM|NIX)_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|npm_config_registry|ORCHESTRATE_(?:BINARY|CHROMIUM|TEST_DATABASE_URL)|KILL_STRIDE|SEED|UPDATE|NODE_ENV|TEST|DEV|PROD|MODE|SSR|BASE_URL|(?:VITE|VITEST|TINYPOOL)(?:_\w+)?)$/i;

/** Tests write its name into scripts as it is. Names that need quotes are tests of their own. */
const PLAIN = /^[\w./-]+$/;

export default function setUp(): () => void {
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
  const temporary = fs.realpathSync(os.tmpdir());
  process.env['TMPDIR'] = PLAIN.test(temporary) ? temporary : fs.realpathSync('/tmp');
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
  return () => {
    process.umask(umask);
    fs.rmSync(home, { recursive: true, force: true });
  };
}
