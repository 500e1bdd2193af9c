/**
 * Loaded before the program: simulates a system that calls itself macOS and has no `/proc`. Processes are visible only through `ps`, which is
 * the machine's own. Children of the program see the machine as it is.
 */
const fs = require('node:fs');

Object.defineProperty(process, 'platform', { value: 'darwin' });
delete process.env.NODE_OPTIONS;

const isHidden = (path) => typeof path === 'string' && (path === '/proc' || path.startsWith('/proc/'));
for (const name of [
  'openSync',
  'readFileSync',
  'readdirSync',
  'readlinkSync',
  'statSync',
  'lstatSync',
  'realpathSync',
  'accessSync',
]) {
  const real = fs[name];
  fs[name] = Object.assign((path, ...rest) => {
    if (!isHidden(path)) return real(path, ...rest);
    if (rest[0]?.throwIfNoEntry === false) return undefined;
    throw Object.assign(new Error(`ENOENT: no such file or directory, ${name} '${path}'`), {
      code: 'ENOENT',
      path,
    });
  }, real);
}
const { existsSync } = fs;
fs.existsSync = (path) => !isHidden(path) && existsSync(path);

/** What macOS also has to identify a machine and its boot. */
const SAID = {
  sysctl: '11111111-2222-3333-4444-555555555555\n',
  ioreg: '    "IOPlatformUUID" = "66666666-7777-8888-9999-AAAAAAAAAAAA"\n',
};
const processes = require('node:child_process');
const { execFileSync } = processes;
processes.execFileSync = (file, ...rest) => SAID[file] ?? execFileSync(file, ...rest);
