/** Why a reference is rejected at its place in a script or command. */
export type Refusal =
  | 'heredoc'
  | 'substitution'
  | 'arithmetic'
  | 'expansion'
  | 'ansi-quotes'
  | 'locale-quotes'
  | 'comment'
  | 'after-backslash'
  | 'after-dollar'
  | 'after-variable'
  | 'command-name'
  | 'name'
  | 'subscript'
  | 'integer'
  | 'steering-variable'
  | 'evaluated'
  | 'script'
  | 'nested-script'
  | 'code'
  | 'steering'
  | 'option'
  | 'test-operator'
  | 'format'
  | 'descriptor'
  | 'pattern-code'
  | 'fed-to-interpreter'
  | 'foreign-shell'
  | 'unreadable';

/** Completes the sentence "`${x}` is used …". */
export const WHERE: Readonly<Record<Refusal, string>> = {
  heredoc: 'inside a heredoc, where quoting does not protect it',
  substitution: 'inside a command substitution, where quoting may not protect it',
  arithmetic: 'inside arithmetic, which a shell evaluates as code',
  expansion: 'inside a parameter expansion',
  'ansi-quotes': "inside `$'…'`, whose backslashes would change it",
  'locale-quotes': 'inside `$"…"`, which a shell translates',
  comment: 'in a comment, which a newline in the value would end',
  'after-backslash': 'right after a backslash, which would undo its quoting',
  'after-dollar': 'right after a `$`, which would make it an expansion',
  'after-variable': 'right after a shell variable inside double quotes, whose name it would continue',
  'command-name': 'where the name of a command is expected, so the value would choose what runs',
  name: 'where the name of a variable or function is expected',
  subscript: 'in an array subscript, which a shell evaluates as code',
  integer: 'in a declaration whose value a shell evaluates',
  'steering-variable': 'in the value of a variable that controls what a shell runs',
  evaluated: 'in an argument that the shell evaluates again',
  script: 'in a shell script, where values from the model are not allowed',
  'nested-script': 'in the script of another shell',
  code: 'in an argument that is run as code',
  steering: 'where it decides which word is the program or the code',
  option:
    'where a value that starts with `-` is read as an option, and this program has options that run code',
  'test-operator': 'in a test where it could be read as an operator',
  format: 'where `printf` reads options or evaluates numbers',
  descriptor: 'after `>&` or `<&`, where bash expands it a second time',
  'pattern-code': 'inside a pattern in parentheses, where zsh runs code',
  'fed-to-interpreter': 'in a script that feeds text to an interpreter as its program',
  'foreign-shell': 'in the script of a shell without POSIX quoting',
  unreadable: 'in a part of the script that cannot be parsed reliably',
};
