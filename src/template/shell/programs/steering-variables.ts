/**
 * Variables whose value is code, is evaluated as arithmetic when set, or selects a program or library to load.
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
  ...['RSYNC_RSH', 'SSH_ASKPASS', 'SUDO_ASKPASS', 'TAR_OPTIONS', 'MANPAGER', 'MAKEFILES', '_JAVA_OPTIONS'],
  ...['JDK_JAVA_OPTIONS', 'CLASSPATH', 'RUSTC_WRAPPER', 'LESS', 'SYSTEMD_PAGER', 'PROMPT', 'RPS1', 'PSVAR'],
  ...[
    'KUBE_EDITOR',
    'KUBECONFIG',
    'GOFLAGS',
    'CC',
    'CXX',
    'LD',
    'AR',
    'RUSTFLAGS',
    'JAVA_OPTS',
    'MANOPT',
    'PSQLRC',
  ],
  ...[
    'GH_PAGER',
    'GH_EDITOR',
    'GH_BROWSER',
    'PSQL_PAGER',
    'PSQL_EDITOR',
    'VIMINIT',
    'EXINIT',
    'HGEDITOR',
    'HGRCPATH',
  ],
  ...[
    'SVN_EDITOR',
    'SVN_SSH',
    'WGETRC',
    'GCONV_PATH',
    'SSLKEYLOGFILE',
    'OPENSSL_CONF',
    'ANSIBLE_CONFIG',
    'INPUTRC',
  ],
  ...['MAKEFLAGS', 'LESSOPEN', 'LESSCLOSE', 'module_path', 'path', 'fpath', 'precmd', 'preexec', 'chpwd'],
]);
const STEERING_PREFIX =
  /^(?:BASH|COMP_|LD_|DYLD_|GIT_|ZSH|ZDOT|EPOCH|npm_config_|NPM_CONFIG_|PYTEST_|CARGO_|MAVEN_|GRADLE_|PYTHON|PERL5|RSYNC_|DOCKER_CONFIG)/;

export function steersExecution(variable: string): boolean {
  return STEERING_VARIABLES.has(variable) || STEERING_PREFIX.test(variable);
}

/** Names of folders, files and programs; all others are code, or evaluated as arithmetic, when set or shown. */
const NAMES_THINGS =
  /PATH$|^(?:IFS|path|fpath|EDITOR|VISUAL|PAGER|BROWSER|SHELL|FCEDIT|NODE_OPTIONS|PERL5LIB|RUBYLIB|PYTHON\w+|GIT_\w+|LD_\w+|DYLD_\w+|ZDOTDIR|COLUMNS|LINES)$/;

export function isEvaluatedWhenSet(variable: string): boolean {
  return !NAMES_THINGS.test(variable);
}
