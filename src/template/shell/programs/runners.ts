/** Programs that process data but have options whose value is a command or a script. */
import { BUILD_RUNS, CMAKE_RUNS } from './properties.ts';
import { table } from './table.ts';

export interface Runner {
  /** Short letters and long names whose value is a shell script. */
  readonly shellText?: readonly string[];
  /** Options whose value runs in another way, or names what to run. */
  readonly code?: readonly string[];
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** Complete words that are followed by a command: `-TT` of `zip`. */
  readonly words?: readonly string[];
  /** Options may be written without a dash in the first word: `tar xzf`. */
  readonly bareOptions?: boolean;
  /**
   * A value that is read as an option does no harm if nothing else is given: without an operand, the program has nothing to do. A list: only
   * after these subcommands.
   */
  readonly isTame?: boolean | readonly string[];
  /** Operands name what is run: the goals of `mvn`. */
  readonly operand?: 'program';
  /** `-Dname=value` is data, unless the name matches. */
  readonly properties?: RegExp;
}

export const RUNNERS: ReadonlyMap<string, Runner> = table<Runner>({
  'tar gtar bsdtar': {
    shellText: [
      ...['I', 'F', 'use-compress-program', 'to-command', 'info-script', 'new-volume-script'],
      ...['checkpoint-action', 'rsh-command', 'rmt-command'],
    ],
    shortValues: 'fCTXbgHKLNV',
    longValues: [
      'file',
      'directory',
      'files-from',
      'exclude-from',
      'exclude',
      'transform',
      'owner',
      'group',
      'mode',
    ],
    bareOptions: true,
  },
  rsync: {
    shellText: ['e', 'rsh'],
    code: ['rsync-path', 'M', 'remote-option'],
    shortValues: 'fTB',
    longValues: [
      'exclude',
      'include',
      'exclude-from',
      'include-from',
      'files-from',
      'filter',
      'log-file',
      'bwlimit',
    ],
  },
  'scp sftp': { code: ['S', 'o', 'F', 'D', 's'], shortValues: 'bciBlPJXR' },
  'split gsplit': { shellText: ['filter'], shortValues: 'abClnt', longValues: ['lines', 'bytes', 'number'] },
  'sort gsort': { code: ['compress-program'], shortValues: 'koSTt', isTame: true },
  man: { code: ['P', 'H', 'C', 'M', 'pager', 'html', 'config-file', 'preprocessor'], isTame: true },
  zip: { words: ['-TT', '--unzip-command'], shortValues: 'bntx', isTame: true },
  wget: { code: ['e', 'execute', 'use-askpass'], shortValues: 'oaiBOtTwQPADIRXlU' },
  'apt apt-get apt-cache dpkg': { code: ['o', 'c', 'option', 'config-file'], shortValues: 't' },
  psql: {
    code: ['c', 'command', 'f', 'file', 'P', 'pset'],
    shortValues: 'dhpUvoFRTL',
    longValues: ['dbname', 'host', 'port', 'username', 'set', 'variable', 'output'],
  },
  'mysql mariadb': {
    code: ['e', 'execute', 'init-command', 'pager', 'defaults-file', 'defaults-extra-file', 'plugin-dir'],
    shortValues: 'huPSD',
    longValues: ['host', 'user', 'port', 'database', 'socket'],
  },
  'mongo mongosh': { code: ['eval', 'f', 'file'], longValues: ['host', 'port', 'username'] },
  'nc ncat netcat': { code: ['e', 'c', 'exec', 'sh-exec', 'lua-exec'], shortValues: 'gioOpqswxX' },
  tcpdump: { code: ['z'], shortValues: 'BcCFGijMrsTVwWyEm' },
  nodemon: { shellText: ['x', 'exec'], shortValues: 'wied', longValues: ['watch', 'ignore', 'ext', 'delay'] },
  'nix-shell nix': {
    shellText: ['run', 'command', 'c'],
    code: ['expr', 'E', 'I', 'include'],
    longValues: ['attr'],
  },
  go: {
    words: [
      ...['-exec', '-toolexec', '-vettool', '-ldflags', '-gcflags', '-asmflags', '-gccgoflags', '-overlay'],
      ...['-modfile', '-compiler', '-pgo', '-o'],
    ],
    shortValues: 'C',
  },
  cargo: {
    code: ['config', 'manifest-path'],
    shortValues: 'pjFZC',
    longValues: ['package', 'bin', 'features'],
  },
  'npm pnpm yarn': {
    code: [
      'script-shell',
      'shell',
      'node-options',
      'userconfig',
      'globalconfig',
      'prefix',
      'C',
      'git',
      'editor',
    ],
    shortValues: 'w',
    longValues: ['workspace', 'tag', 'registry', 'message', 'otp', 'access'],
    isTame: ['run', 'run-script'],
  },
  'mvn mvnw mvnd': {
    code: ['f', 'file', 's', 'settings', 'gs', 'global-settings', 't', 'toolchains', 'b', 'builder', 'D'],
    shortValues: 'lPTr',
    longValues: ['log-file', 'activate-profiles', 'threads', 'projects', 'resume-from'],
    operand: 'program',
    properties: BUILD_RUNS,
  },
  'gradle gradlew': {
    code: [
      ...[
        'I',
        'init-script',
        'b',
        'build-file',
        'c',
        'settings-file',
        'include-build',
        'g',
        'gradle-user-home',
      ],
      ...['D', 'P', 'p', 'project-dir', 'system-prop', 'project-prop'],
    ],
    shortValues: 'x',
    longValues: ['exclude-task', 'tests', 'console', 'max-workers'],
    properties: BUILD_RUNS,
  },
  'pytest py.test': {
    code: [
      'p',
      'c',
      'o',
      'W',
      'config-file',
      'override-ini',
      'rootdir',
      'confcutdir',
      'pythonwarnings',
      'pdbcls',
    ],
    shortValues: 'kmnr',
    longValues: [
      'maxfail',
      'tb',
      'durations',
      'junitxml',
      'junit-xml',
      'ignore',
      'deselect',
      'color',
      'log-file',
    ],
  },
  'bazel bazelisk': {
    code: ['run_under', 'bazelrc', 'workspace_status_command', 'script_path', 'package_path'],
  },
  cmake: { code: ['P', 'C', 'E', 'D', 'preset', 'toolchain'], shortValues: 'GSBAT', properties: CMAKE_RUNS },
  helm: {
    code: ['post-renderer', 'post-renderer-args', 'kubeconfig'],
    shortValues: 'nf',
    longValues: ['namespace', 'values', 'version'],
  },
  'kubectl oc': {
    code: ['kubeconfig', 'exec-command', 'exec-arg', 'exec-env', 'plugin'],
    shortValues: 'nlfocs',
    longValues: [
      'namespace',
      'context',
      'selector',
      'filename',
      'output',
      'container',
      'from-literal',
      'field-selector',
      'image',
      'patch',
      'type',
    ],
  },
  // `+!COMMAND` runs a command, too.
  less: { code: ['k', 'lesskey-file', 'lesskey-src', 'lesskey-content'], shortValues: 'bhjoPpTtxyz' },
  ip: { words: ['-batch', '-b'], shortValues: 'n' },
  'gcc g++ cc c++ clang clang++': {
    words: ['-wrapper', '-fplugin', '-specs', '--specs', '-B'],
    shortValues: 'oILlDUx',
    isTame: true,
  },
  rg: {
    code: ['pre', 'hostname-bin'],
    shortValues: 'ABCEMTdefgjmrt',
    longValues: ['regexp', 'file', 'glob', 'iglob', 'type', 'type-not', 'replace', 'max-count', 'context'],
  },
  'ag ack': { code: ['pager'], shortValues: 'ABCGmp', longValues: ['ignore', 'ignore-dir', 'pager-options'] },
  rake: {
    code: ['e', 'p', 'E', 'r', 'f', 'execute', 'execute-print', 'execute-continue', 'require', 'rakefile'],
    shortValues: 'CIjR',
  },
  hg: {
    code: ['config', 'config-file', 'remotecmd', 'ssh', 'e', 'tool', 't'],
    shortValues: 'RmludbrX',
    longValues: ['cwd', 'repository', 'message', 'rev', 'user', 'date', 'branch', 'include', 'exclude'],
  },
  svn: {
    code: ['editor-cmd', 'diff-cmd', 'diff3-cmd', 'config-option', 'config-dir'],
    shortValues: 'mFrc',
    longValues: ['message', 'file', 'revision', 'username', 'depth', 'changelist'],
  },
  jj: {
    code: ['config', 'config-toml', 'config-file', 'tool'],
    shortValues: 'Rrmdbo',
    longValues: ['repository', 'revision', 'revisions', 'message'],
  },
});

/** Git settings whose value is a command or names a file of commands. */
export const GIT_RUNS =
  /^(?:alias\.|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass|alternaterefscommand)|pager\.|sequence\.editor|credential\b.*helper|include|diff\..*(?:command|textconv)|diff\.external|merge\..*driver|filter\..*(?:clean|smudge|process)|gpg\b.*program|.*(?:cmd|command|helper|program|editor|pager|uploadpack|receivepack|proxy|path|vcs)$|protocol\.|url\.|submodule\..*update)/i;

/** Options of git subcommands that name what to run. */
export const GIT_SUBCOMMANDS: ReadonlyMap<string, Runner> = table<Runner>({
  'clone fetch pull push ls-remote fetch-pack send-pack archive remote submodule': {
    code: ['upload-pack', 'receive-pack', 'exec', 'u', 'c', 'config', 'template'],
    shortValues: 'bojs',
    longValues: ['branch', 'depth', 'origin', 'reference', 'jobs'],
  },
  grep: { code: ['O', 'open-files-in-pager'], shortValues: 'eABCfm', longValues: ['max-depth', 'max-count'] },
  'rebase difftool': { shellText: ['x', 'exec', 'extcmd'], code: ['t', 'tool'], longValues: ['onto'] },
});

/** Subcommands that may run every word. */
export const GIT_RUNS_ALL: ReadonlySet<string> = new Set([
  'filter-branch',
  'send-email',
  'daemon',
  'shell',
  'difftool-helper',
]);
