/** Programs that start another program, and how to find its name among their words. */
import { table } from './table.ts';

/** How a launcher's words are arranged. */
export interface Launcher {
  /** Letters of short options that take a value; long options that take one as the next word. */
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** `NAME=value` words may come before the program. */
  readonly assignments?: boolean;
  /** Words between the options and the program: the duration of `timeout`. */
  readonly operands?: number;
  /** Short letters and long names that start a shell, or split text into words. */
  readonly evaluates?: readonly string[];
  /** Options whose value is a shell script. */
  readonly shellText?: readonly string[];
}

export const LAUNCHERS: ReadonlyMap<string, Launcher> = table<Launcher>({
  env: {
    shortValues: 'uC',
    longValues: ['unset', 'chdir'],
    assignments: true,
    evaluates: ['S', 'split-string'],
  },
  timeout: { shortValues: 'sk', longValues: ['signal', 'kill-after'], operands: 1 },
  gtimeout: { shortValues: 'sk', longValues: ['signal', 'kill-after'], operands: 1 },
  sudo: {
    shortValues: 'ughpCTrtUDR',
    longValues: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type'],
    assignments: true,
    evaluates: ['i', 's', 'login', 'shell', 'e', 'edit'],
  },
  pkexec: { longValues: ['user'] },
  doas: { shortValues: 'uC', evaluates: ['s'] },
  nice: { shortValues: 'n', longValues: ['adjustment'] },
  ionice: { shortValues: 'cnpPu', longValues: ['class', 'classdata'] },
  chrt: { shortValues: 'TPD', operands: 1 },
  taskset: { operands: 1 },
  'nohup setsid chronic command builtin noglob nocorrect ifne unbuffer fakeroot tini dumb-init': {},
  'gosu su-exec': { operands: 1 },
  'catchsegv dbus-run-session setarch linux32 linux64 numactl valgrind': {},
  prlimit: {},
  unshare: { shortValues: 'SGRw', longValues: ['setuid', 'setgid', 'root', 'wd', 'map-user', 'map-group'] },
  nsenter: { shortValues: 'tSG', longValues: ['target', 'setuid', 'setgid'] },
  setpriv: {
    longValues: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set', 'securebits'],
  },
  'xvfb-run': {
    shortValues: 'efnpsw',
    longValues: ['error-file', 'auth-file', 'server-num', 'server-args', 'wait'],
  },
  'npx pnpx bunx': {
    shortValues: 'pw',
    longValues: ['package', 'workspace', 'prefix', 'cache', 'registry', 'userconfig', 'node-options'],
    shellText: ['c', 'call', 'script-shell', 'shell', 'node-options', 'node-arg', 'n'],
  },
  uvx: { shortValues: 'p', longValues: ['from', 'with', 'python', 'index-url'] },
  exec: { shortValues: 'a' },
  stdbuf: { shortValues: 'ioe', longValues: ['input', 'output', 'error'] },
  time: { shortValues: 'fo', longValues: ['format', 'output'] },
  chroot: { operands: 1 },
  'busybox toybox proxychains proxychains4 torsocks': {},
  'cross-env dotenv': { shortValues: 'ef', assignments: true },
  'xargs gxargs': {
    shortValues: 'IJEnPLsdaRS',
    longValues: ['replace', 'max-args', 'max-procs', 'delimiter', 'arg-file', 'max-lines', 'max-chars'],
  },
  'strace ltrace': { shortValues: 'eopsuEabIOPSUX' },
  flock: {
    shortValues: 'wE',
    longValues: ['timeout', 'conflict-exit-code'],
    operands: 1,
    shellText: ['c', 'command'],
  },
});

/** `npm exec` and similar, by subcommand. */
export const LAUNCHING_SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = table({
  npm: new Set(['exec', 'x']),
  'pnpm yarn': new Set(['exec', 'dlx', 'node']),
  bun: new Set(['x']),
  pipx: new Set(['run']),
  uv: new Set(['run', 'x']),
  'poetry pipenv pdm hatch bundle': new Set(['run', 'exec']),
});
