/** Programs that start another program, and how to find its name among their words. */
import { JAVA_RUNS } from './properties.ts';
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
  /** Long options that take two words. */
  readonly longPairs?: readonly string[];
  /** Complete words that take the next one, such as `-cp` of `java`; what they name is run. */
  readonly programWords?: readonly string[];
  /** Options whose value is `NAME=value` for the environment of the program. */
  readonly environment?: readonly string[];
  /** If given, any other option may take a value or not, so that what follows it is unknown. */
  readonly flags?: readonly string[];
  /** The operands name what is run, as an image does. */
  readonly choosesByOperand?: boolean;
  /** An option that names the program: `--entrypoint`. What follows the operands are its arguments. */
  readonly entry?: string;
  /** The program comes after `--`; options and operands before it are in any order. */
  readonly isSeparated?: boolean;
  /** The words of the command are joined and passed to a shell. */
  readonly joinsForShell?: boolean;
  /** `-Dname=value` is data, unless the name matches. */
  readonly properties?: RegExp;
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
  'catchsegv dbus-run-session linux32 linux64': {},
  setarch: { operands: 1 },
  numactl: { shortValues: 'iwNmplCPS', longValues: ['interleave', 'membind', 'cpunodebind', 'physcpubind'] },
  valgrind: { evaluates: ['db-command'] },
  bwrap: {
    flags: [
      ...[
        'unshare-all',
        'share-net',
        'unshare-user',
        'unshare-user-try',
        'unshare-ipc',
        'unshare-pid',
        'clearenv',
      ],
      ...[
        'unshare-net',
        'unshare-uts',
        'unshare-cgroup',
        'unshare-cgroup-try',
        'new-session',
        'die-with-parent',
      ],
      ...['as-pid-1', 'disable-userns', 'assert-userns-disabled'],
    ],
    longValues: [
      ...[
        'uid',
        'gid',
        'hostname',
        'chdir',
        'unsetenv',
        'lock-file',
        'sync-fd',
        'proc',
        'dev',
        'tmpfs',
        'mqueue',
      ],
      ...['dir', 'remount-ro', 'perms', 'size', 'seccomp', 'exec-label', 'file-label', 'cap-add', 'cap-drop'],
      ...[
        'info-fd',
        'json-status-fd',
        'userns',
        'userns2',
        'pidns',
        'block-fd',
        'userns-block-fd',
        'overlay-src',
      ],
    ],
    longPairs: [
      ...['bind', 'bind-try', 'dev-bind', 'dev-bind-try', 'ro-bind', 'ro-bind-try', 'bind-fd', 'ro-bind-fd'],
      ...['file', 'bind-data', 'ro-bind-data', 'symlink', 'setenv', 'chmod'],
    ],
    evaluates: ['args'],
  },
  firejail: { evaluates: ['c', 'shell', 'join', 'profile'] },
  proot: {
    shortValues: 'rbwkvR',
    longValues: ['rootfs', 'bind', 'cwd', 'pwd', 'kernel-release', 'verbose'],
    evaluates: ['q', 'qemu', 'S'],
  },
  java: {
    properties: JAVA_RUNS,
    longValues: ['add-modules', 'add-exports', 'add-opens', 'add-reads'],
    programWords: [
      ...[
        '-cp',
        '-classpath',
        '--class-path',
        '-p',
        '--module-path',
        '--upgrade-module-path',
        '--patch-module',
      ],
      ...['-m', '--module', '--source'],
    ],
  },
  'mono wine dotnet': {},
  // As modules: `python3 -m coverage run …`.
  'pdb cProfile profile trace': { shortValues: 'osc' },
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
  // `-o '|COMMAND'` runs a command.
  'strace ltrace': { shortValues: 'epsuabIOPSUX', environment: ['E'], evaluates: ['o', 'output'] },
  flock: {
    shortValues: 'wE',
    longValues: ['timeout', 'conflict-exit-code'],
    operands: 1,
    shellText: ['c', 'command'],
  },
});
