/**
 * What is known of programs that run other programs or code: which options take a value, which word is the code. Facts only;
 * `command-shape.ts` reads a command by them.
 */

/** Programs that start the program named further on. */
export interface Launcher {
  /** Letters of short options that take a value; long options that take one as the next word. */
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** `NAME=value` words may come before the program. */
  readonly assignments?: boolean;
  /** Words between the options and the program: the duration of `timeout`. */
  readonly operands?: number;
  /** Short letters and long names that hand text to a shell, or split it into words. */
  readonly evaluates?: readonly string[];
}

export interface Interpreter {
  readonly code: readonly string[];
  /** Options that name a file of code in place of it, and those that load code besides it. */
  readonly files?: readonly string[];
  readonly preloads?: readonly string[];
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** Letters whose value, if any, stands in the same word: `sed -i.orig`. */
  readonly ownValues?: string;
  /** What the first operand is where no option gave the code. */
  readonly operand: 'code' | 'file';
  /** After the code option everything is data (`python -c`); otherwise options go on. */
  readonly endsOptions?: boolean;
  /** Options are read after operands too, as GNU sed does. */
  readonly permutes?: boolean;
  /** Without code and operand it reads code from standard input. */
  readonly readsInput?: boolean;
}

export const SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'rbash', 'dash', 'ash', 'zsh', 'ksh', 'ksh93', 'mksh', 'pdksh', 'oksh', 'lksh', 'yash'],
  ...['posh', 'hush', 'fish', 'csh', 'tcsh'],
]);

/** Shells whose quoting is not that of POSIX: no value can be quoted for them here. */
export const FOREIGN_SHELLS: ReadonlySet<string> = new Set(['fish', 'csh', 'tcsh']);

const table = <Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(Object.entries(entries).flatMap(([names, value]) => names.split(' ').map((name) => [name, value])));

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
  doas: { shortValues: 'uC', evaluates: ['s'] },
  nice: { shortValues: 'n', longValues: ['adjustment'] },
  ionice: { shortValues: 'cnpPu', longValues: ['class', 'classdata'] },
  chrt: { shortValues: 'TPD', operands: 1 },
  taskset: { operands: 1 },
  'nohup setsid chronic command builtin noglob nocorrect': {},
  exec: { shortValues: 'a' },
  stdbuf: { shortValues: 'ioe', longValues: ['input', 'output', 'error'] },
  time: { shortValues: 'fo', longValues: ['format', 'output'] },
  chroot: { operands: 1 },
  busybox: {},
  'xargs gxargs': {
    shortValues: 'IJEnPLsdaRS',
    longValues: ['replace', 'max-args', 'max-procs', 'delimiter', 'arg-file', 'max-lines', 'max-chars'],
  },
  'strace ltrace': { shortValues: 'eopsuEabIOPSUX' },
  flock: {
    shortValues: 'wE',
    longValues: ['timeout', 'conflict-exit-code'],
    operands: 1,
    evaluates: ['c', 'command'],
  },
});

/** Every argument may be evaluated, by a shell, by the program itself or on another machine. */
export const EVALUATORS: ReadonlySet<string> = new Set([
  ...['eval', 'source', '.', 'trap', 'alias', 'coproc', 'emulate', 'ssh', 'rsh', 'mosh', 'sshpass', 'su'],
  ...['runuser', 'watch', 'parallel', 'sem', 'at', 'batch', 'crontab', 'tmux', 'screen', 'script', 'expect'],
  ...['make', 'gmake', 'm4', 'gdb', 'lldb', 'vi', 'vim', 'nvim', 'ex', 'ed', 'emacs', 'tclsh', 'wish', 'dc'],
  ...[
    'sqlite3',
    'ghc',
    'scala',
    'jshell',
    'entr',
    'fzf',
    'xterm',
    'pwsh',
    'powershell',
    'cmd',
    'systemd-run',
  ],
]);

const AWK: Interpreter = {
  code: ['e', 'source'],
  files: ['f', 'E', 'file', 'exec'],
  preloads: ['i', 'l', 'W', 'include', 'load'],
  shortValues: 'Fv',
  longValues: ['field-separator', 'assign'],
  operand: 'code',
};
const SED: Interpreter = {
  code: ['e', 'expression'],
  files: ['f', 'file'],
  shortValues: 'l',
  longValues: ['line-length'],
  ownValues: 'i',
  operand: 'code',
  permutes: true,
};
const PYTHON: Interpreter = {
  code: ['c'],
  files: ['m'],
  shortValues: 'WX',
  operand: 'file',
  endsOptions: true,
  readsInput: true,
};
const NODE: Interpreter = {
  code: ['e', 'p', 'eval', 'print'],
  preloads: ['r', 'require', 'import', 'loader', 'experimental-loader'],
  shortValues: 'C',
  longValues: ['conditions', 'input-type'],
  operand: 'file',
  readsInput: true,
};

const INTERPRETERS: ReadonlyMap<string, Interpreter> = table<Interpreter>({
  'awk gawk mawk nawk': AWK,
  'sed gsed': SED,
  'python python2 pypy pypy3 python3': PYTHON,
  'node nodejs bun tsx': NODE,
  perl: {
    code: ['e', 'E'],
    preloads: ['M', 'm', 'F', 'I'],
    ownValues: 'i0lxDCdV',
    operand: 'file',
    readsInput: true,
  },
  ruby: {
    code: ['e'],
    preloads: ['r', 'I'],
    shortValues: 'CE',
    ownValues: 'i0FKWTx',
    operand: 'file',
    readsInput: true,
  },
  php: {
    code: ['r', 'B', 'R', 'E', 'run', 'process-code', 'process-begin', 'process-end'],
    files: ['f', 'F', 'file', 'process-file'],
    shortValues: 'cdzS',
    operand: 'file',
    readsInput: true,
  },
  'lua luajit': { code: ['e'], preloads: ['l'], operand: 'file', readsInput: true },
  'Rscript R': { code: ['e'], operand: 'file', readsInput: true },
  julia: { code: ['e', 'E', 'eval', 'print'], preloads: ['L', 'load'], operand: 'file', readsInput: true },
  'groovy elixir': { code: ['e', 'eval'], preloads: ['r'], operand: 'file' },
  osascript: { code: ['e'], shortValues: 'ls', operand: 'file', readsInput: true },
  'jq yq gojq jaq': {
    code: [],
    files: ['f', 'from-file'],
    preloads: ['L'],
    longValues: ['indent'],
    operand: 'code',
    permutes: true,
  },
});

/** `python3.12` and the like go by the name without the version. */
export function interpreterFor(name: string): Interpreter | undefined {
  return INTERPRETERS.get(name) ?? INTERPRETERS.get(name.replace(/[0-9.]+$/, ''));
}

/**
 * Variables whose value is code, is evaluated as arithmetic when set, or chooses which program or library is loaded.
 */
const STEERING_VARIABLES: ReadonlySet<string> = new Set([
  ...[
    'PATH',
    'IFS',
    'ENV',
    'PS0',
    'PS1',
    'PS2',
    'PS3',
    'PS4',
    'PROMPT_COMMAND',
    'SHELLOPTS',
    'CDPATH',
    'FPATH',
  ],
  ...['RANDOM', 'SRANDOM', 'SECONDS', 'HISTCMD', 'LINENO', 'OPTIND', 'OPTERR', 'TMOUT', 'UID', 'EUID', 'GID'],
  ...[
    'EGID',
    'PPID',
    'HISTSIZE',
    'SAVEHIST',
    'COLUMNS',
    'LINES',
    'MAILCHECK',
    'KEYTIMEOUT',
    'LISTMAX',
    'ERRNO',
  ],
  ...[
    'DIRSTACK',
    'GROUPS',
    'PIPESTATUS',
    'FUNCNAME',
    'FUNCNEST',
    'MAPFILE',
    'COPROC',
    'EPOCHSECONDS',
    'FCEDIT',
  ],
  ...['EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'SHELL', 'NODE_OPTIONS', 'NODE_PATH', 'PERL5OPT', 'PERL5LIB'],
  ...['PERL5DB', 'PYTHONSTARTUP', 'PYTHONPATH', 'PYTHONHOME', 'RUBYOPT', 'RUBYLIB', 'JAVA_TOOL_OPTIONS'],
  ...['MAKEFLAGS', 'LESSOPEN', 'LESSCLOSE', 'module_path', 'path', 'fpath', 'precmd', 'preexec', 'chpwd'],
]);
const STEERING_PREFIX = /^(?:BASH|COMP_|LD_|DYLD_|GIT_|ZSH|ZDOT|EPOCH)/;

export function steersExecution(variable: string): boolean {
  return STEERING_VARIABLES.has(variable) || STEERING_PREFIX.test(variable);
}
