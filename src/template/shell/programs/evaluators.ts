/** Programs whose arguments may all be evaluated, by a shell, by the program itself or on another machine. */
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
    'hyperfine',
    'watchexec',
    'concurrently',
    // They insert their arguments into the text of their recipes.
    'just',
    'task',
    'go-task',
    'capsh',
    'cross-env-shell',
    'socat',
    'adb',
    'vagrant',
    'sbt',
    'lein',
    'ansible',
    'ansible-playbook',
    // As a module: `python3 -m timeit CODE`.
    'timeit',
  ],
]);

/** Programs that join their words and pass them to a shell. */
export const JOIN_FOR_SHELL: ReadonlySet<string> = new Set([
  ...['ssh', 'rsh', 'mosh', 'sshpass', 'su', 'runuser', 'watch', 'script', 'parallel', 'sem'],
]);

const READ_CODE: ReadonlySet<string> = new Set([
  ...['at', 'batch', 'ed', 'ex', 'm4', 'gdb', 'lldb', 'tclsh', 'wish', 'expect', 'dc', 'sqlite3', 'jshell'],
  ...['psql', 'mysql', 'mariadb', 'mongosh', 'mongo', 'parallel', 'sem', 'pwsh', 'powershell'],
]);
const SSH_VALUE = /^-[A-Za-z]*[BbcDEeFIiJLlmOopQRSWw]$/;

/** Whether the program runs its standard input or passes it to a shell. `words`: those after its name, as far as known. */
export function readsCode(name: string, words: readonly (string | undefined)[]): boolean {
  if (/^(?:psql|mysql|mariadb|mongo|mongosh)$/.test(name)) {
    return !words.some((word) => /^(?:-[ce]|--(?:command|execute|eval))/.test(word ?? ''));
  }
  if (/^(?:su|runuser|script)$/.test(name))
    return !words.some((word) => /^(?:-\w*c|--command)/.test(word ?? ''));
  if (name === 'crontab') return words.length === 0 || words.includes('-');
  if (!/^(?:ssh|rsh|mosh)$/.test(name)) return READ_CODE.has(name);
  const operands = words.filter((word, at) => !word?.startsWith('-') && !SSH_VALUE.test(words[at - 1] ?? ''));
  return operands.length < 2;
}
