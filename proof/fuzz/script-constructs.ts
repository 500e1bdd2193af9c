/**
 * Scripts assembled from what a shell can do with a value: assign it, pass it, print it, compare it, evaluate it and run it. `${V}` is
 * the value in the script itself; it is also passed as `$1` and as `$A`.
 */
import fc from 'fast-check';

/** A program on the `PATH` of the scripts that creates the file `pwned`. */
export const HARMFUL_PROGRAM = 'make-it-pwned';

/** Each creates a file `pwned` as soon as a shell runs it, or a word of it, as code. */
export const PAYLOADS: readonly string[] = [
  'a[$(>pwned)]',
  'a[$(touch pwned)]',
  '1+a[$(>pwned)]',
  'x[$(>pwned)]=1',
  '[$(>pwned)]=1',
  '$(>pwned)',
  '`>pwned`',
  "'; >pwned; '",
  '"; >pwned; "',
  '; >pwned #',
  '\n>pwned\n',
  '-v a[$(>pwned)]',
  'x -o -v a[$(>pwned)]',
  '-p a[$(>pwned)]',
  '-i n=a[$(>pwned)]',
  HARMFUL_PROGRAM,
  `x=1 ${HARMFUL_PROGRAM}`,
  `-S${HARMFUL_PROGRAM}`,
  `-S ${HARMFUL_PROGRAM}`,
  `-c ${HARMFUL_PROGRAM}`,
  `eval ${HARMFUL_PROGRAM}`,
  `. ${HARMFUL_PROGRAM}`,
  `let n=a[$(>pwned)]`,
  `${HARMFUL_PROGRAM};`,
  'v',
  'a[v]',
  'w v',
  '1',
  '',
];

const NAMES = ['v', 'w', 'n', 'v'] as const;
/** `T` is replaced by the value in one way or another. */
const VALUES = [
  ...[
    '${V}',
    '"${V}"',
    "'${V}'",
    'x${V}',
    '"$1"',
    '$1',
    '"$@"',
    '"$*"',
    '$0',
    '"$A"',
    '$A',
    '"x$1"',
    '"-$A"',
  ],
  ...[
    '"$v"',
    '$v',
    '"$w"',
    '$w',
    '"$n"',
    '$n',
    '"${a[0]}"',
    '"${a[@]}"',
    '"${!a[@]}"',
    '"${v%x}"',
    '"${v:-$1}"',
  ],
  ...[
    '"$(echo "$v")"',
    '$(echo "$1")',
    '`echo "$A"`',
    '"$(cat f)"',
    '"${v@Q}"',
    '"${!w}"',
    '"$REPLY"',
    '"$_"',
  ],
  ...[
    '"${v//[!0-9]/}"',
    '"${#v}"',
    '"${v:-0}"',
    '"${v/x/y}"',
    '"${v^^}"',
    '"${v:0:3}"',
    '"${v@P}"',
    '"$OPTARG"',
  ],
];
const PLAIN = [
  '1',
  'x',
  'v',
  "'a[v]'",
  '"a[0]"',
  'n=1',
  '-n',
  '$#',
  '$?',
  '$((1 + 1))',
  '*',
  '"$HOME"',
  '--',
  'x1',
];
const SUMS = [
  ...[
    '1',
    'n',
    'v',
    'w',
    'n + 1',
    'v + 1',
    '$v',
    '$1',
    '$A',
    'A',
    'a[v]',
    'a[n]',
    'a[$1]',
    'n = v',
    'n++',
    '${v}',
    '${#v}',
  ],
  ...[
    '$n',
    'x$n',
    '10#$1',
    '$(wc -l < f)',
    '$(cat f)',
    '$(printf %d "$1")',
    '${v:-0}',
    '${n//[!0-9]/}',
    'REPLY',
    '$#',
    '_',
  ],
];

/** `W` is a word, `T` a word with the value, `N` a name, `E` a sum, `S` a script, `Q` a script in single quotes, `D` in double. */
const SIMPLE: readonly string[] = [
  ...[
    'N=T',
    'N=W',
    'N+=T',
    'N=$((E))',
    'N=x$n',
    'N=T N=W true',
    'c="let n=v"',
    "c='echo $((v))'",
    'x1=T',
    'n=1',
  ],
  ...[
    '(( E ))',
    ': $((E))',
    'let n=E',
    'let "n = E"',
    'let W',
    "let 'n=E'",
    'for ((n = E; n < 1; n++)); do break; done',
  ],
  ...[
    'a[E]=W',
    'a=([E]=W)',
    'a=(W T)',
    'a+=(T)',
    'a[0]=T',
    'declare -A m; m[T]=1',
    'declare -A m=([x]=T)',
    'm[T]=1',
  ],
  ...[
    "unset 'a[E]'",
    'unset W',
    "read 'a[E]' <<< 1",
    'read -r N <<< T',
    'read -r v w <<< T',
    'read W <<< x',
    'read <<< T',
  ],
  ...[
    'declare "a[E]=1"',
    'declare N=T',
    'declare -i n=T',
    'declare -i n; n=T',
    'declare W',
    'declare "$n=x"',
    'typeset N=T',
  ],
  ...[
    'export N=T',
    'export A=W',
    'readonly r=T',
    'declare -n r=v; r=T',
    'declare -r q=T',
    'declare -a a=T',
    'o=-i; declare $o n=T',
  ],
  ...[
    'printf -v N %s T',
    "printf -v 'a[E]' x",
    'printf -v W x',
    'printf T',
    'printf %d T',
    'printf %s T',
    'printf "%s" T W',
  ],
  ...[
    "[ -v 'a[E]' ]",
    '[ -v T ]',
    '[ T ]',
    '[ T -eq 1 ]',
    '[ T = W ]',
    '[ -n T ]',
    '[ -f T ]',
    '[ T W ]',
    '[ 1 -eq T ]',
    'test T',
  ],
  ...[
    '[[ -v a[E] ]]',
    '[[ -v T ]]',
    '[[ T -eq 1 ]]',
    '[[ E -lt E ]]',
    '[[ T == W ]]',
    '[[ T =~ x ]]',
    '[[ -n T && n -eq 1 ]]',
  ],
  ...[
    'command T',
    'command W T',
    'exec T',
    'exec W T',
    'env T true',
    'env N=T true',
    'env "A=T" true',
    'nice T',
    'T',
    'T W',
  ],
  ...[
    'eval Q',
    'eval T',
    'eval D',
    'eval echo W',
    'trap Q EXIT',
    'trap T EXIT',
    'trap D EXIT',
    '$c',
    'eval "$c"',
    'bash -c "$c"',
  ],
  ...[
    'bash -c Q',
    'bash -c Q _ T',
    'bash -c Q T',
    'sh -c Q _ W T',
    'env N=T bash -c Q',
    'A=T bash -c Q',
    'bash -c D',
    'dash -c Q _ T',
  ],
  ...[
    'export N; bash -c Q',
    'N=T; export N; sh -c Q',
    'timeout 2 bash -c Q _ T',
    'sudo -n bash -c Q _ T',
    'nohup sh -c Q _ T',
  ],
  ...[
    'set -- T',
    'set -- T W',
    'set T',
    'shift',
    'f T',
    'f W T',
    'g T',
    'run T',
    'run let n=E',
    'run echo T',
    '"$@"',
    'set -- let n=E; "$@"',
  ],
  ...[
    'echo T',
    'echo T W',
    'echo T > f',
    'echo T >> f',
    '. ./f',
    'sh f',
    'sh < f',
    'cat f',
    'N=$(cat f)',
    'read -r N < f',
    'touch f',
  ],
  ...[
    'cat <<E\n$v $((E))\nE\n',
    'cat <<E\n${a[E]} $1\nE\n',
    "cat <<'E'\n$((E))\nE\n",
    'bash <<E\necho $v\nE\n',
    "bash <<'E'\nS\nE\n",
    "sh -s T <<'E'\nS\nE\n",
  ],
  ...[
    'echo T | sh',
    'echo T | bash -s',
    'echo T | cat',
    'bash <<< T',
    'cat <<< T',
    '. <(echo T)',
    'cat <(echo T)',
  ],
  ...[
    'echo T | xargs echo',
    'echo T | xargs',
    'echo T | xargs sh -c',
    'echo T | xargs -I{} sh -c Q',
    "echo T | xargs -I{} sh -c 'echo {}'",
  ],
  ...[
    'echo T | xargs -n1 sh -c Q _',
    'echo T | xargs env',
    'echo T | xargs nice',
    'find . -maxdepth 0 -exec sh -c Q _ T \\;',
  ],
  ...[
    'find . -maxdepth 0 -exec sh -c Q _ {} \\;',
    'find T -maxdepth 0',
    'find . -maxdepth 0 T T T',
    'find . -maxdepth 0 -name T',
  ],
  ...[
    ': ${a[E]}',
    ': ${v:E}',
    ': ${v:0:E}',
    ': ${!N}',
    ': ${v@P}',
    ': ${N:=T}',
    ': ${N:-T}',
    ': ${a[@]:E}',
    'N=${v@P}',
    'N=${!w}',
    'N=${v@A}',
  ],
  ...[
    'mapfile -t a <<< T',
    "mapfile -t -C 'eval #' -c 1 a <<< T",
    'mapfile -t -C g -c 1 a <<< T',
    'getopts a: N T',
    'getopts a: N',
    'wait T',
    'true & wait -n -p T',
    'for SECONDS in T; do true; done',
    'mapfile -t SECONDS <<< T',
    'printf -v SECONDS %s T',
    'exec {a[v]}> /dev/null',
    'exit T',
  ],
  ...[
    'PS4=T; set -x; true',
    "PS4='$((v)) '; set -x; true",
    'IFS=x',
    'PATH=T true',
    'BASH_ENV=T bash -c true',
    'OPTIND=T',
    'RANDOM=T',
    'SECONDS=E',
  ],
  ...[
    'alias e=eval\ne T',
    "shopt -s expand_aliases; alias e='eval'\ne T",
    'hash -p W x',
    'enable T',
    'complete -C T x',
    'compgen -W T',
    'jobs -x T',
  ],
  ...[
    "case $1 in ''|*[!0-9]*) exit 2 ;; esac",
    'case "$A" in \'\'|*[!0-9]*) echo no >&2; exit 2;; esac',
    '[[ $1 =~ ^[0-9]+$ ]] || exit 2',
  ],
  ...[
    "n=$1; case $n in ''|*[!0-9]*) exit 2 ;; esac",
    "v=T; case $v in *[!0-9]*|'') exit 2;; esac",
    '[[ $v =~ ^[0-9]+$ ]] || { echo no; exit 2; }',
  ],
  ...[
    'n=$(wc -l < f)',
    'n=$(printf %d T)',
    'n=$(grep -c x f)',
    'n=$(echo T | tr -cd 0-9)',
    'n=$(date +%s)',
    'n=${#v}',
    'n=$(f T)',
    'n=$(bash -c Q)',
  ],
  ...[
    'sed -n 1p T',
    'sed -n 1p -- T',
    'awk 1 T',
    "awk -v x=T 'BEGIN { exit }'",
    'awk -F T 1 f',
    'tar cf /dev/null T',
    'sort T',
    'sort f T',
    'less T f',
    'less -- T',
    'perl T f',
    "perl -e 'print 1' T",
    'python3 -m json.tool T',
    'python3 -m timeit -n 1 -r 1 T',
    'gcc -o /dev/null T f',
    'ip netns exec x T',
    'ip -batch T',
    'bwrap --dev-bind / / T',
    'bwrap --dev-bind / / echo T',
    'bwrap --dev-bind / / --setenv N T bash -c Q',
    'bwrap --dev-bind / / sh -c Q _ T',
    'strace -o T true',
    'setarch -R T',
    'unshare -r T',
    'unshare -r sh -c Q _ T',
    'some-tool --exec T',
    'echo T >& f',
    'coproc cat',
    'time echo T',
  ],
  ...[
    'exit() { :; }',
    'echo() { eval "$@"; }',
    'wc() { builtin echo "$1"; }',
    'printf() { eval "$2"; }',
    'command_not_found_handle() { eval "$2"; }; nosuch T',
    'cd T',
    'pushd T',
    ': "$PWD"; : $((PWD))',
  ],
];

const COMPOUND: readonly string[] = [
  ...[
    'S; S',
    'S\nS',
    'S && S',
    'S || S',
    'S | S',
    '{ S; }',
    '( S )',
    'S &\nwait',
    'if S; then S; fi',
    'while S; do S; break; done',
  ],
  ...[
    'f() { S; }; f T',
    'f() { S; }',
    'g() { S; }; g W T',
    'run() { "$@"; }',
    'run() { "$@"; }; run W T',
    'function f { local v=$1; S; }; f T',
  ],
  ...[
    'for N in T; do S; done',
    'for N in W T; do S; done',
    'for N in *; do S; done',
    'for N; do S; done',
    'while read -r N; do S; done <<< T',
  ],
  ...[
    'echo T | while read -r N; do S; done',
    'echo T | { read -r N; S; }',
    'case T in W) S;; *) S;; esac',
    'case W in T) S;; *) S;; esac',
  ],
  ...[
    'N=$(S)',
    'echo "$(S)"',
    'echo `S`',
    'cat <(S)',
    'S > f',
    'S; S; S',
    'N=T; S',
    'N=T; S',
    'N=T; N=$N; S',
    'select N in T; do S; break; done <<< 1',
  ],
];

interface Pieces {
  readonly script: string;
}

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 2, arbitrary: fc.constantFrom(...VALUES) },
);

/** Text of a script; each `${V}` in it is the value. */
export const scriptText: fc.Arbitrary<string> = fc.letrec<Pieces>((tie) => ({
  script: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...SIMPLE).chain((shape) => filled(shape, tie('script') as fc.Arbitrary<string>)),
    fc
      .array(
        fc.constantFrom(...SIMPLE).chain((shape) => filled(shape, tie('script') as fc.Arbitrary<string>)),
        {
          minLength: 2,
          maxLength: 4,
        },
      )
      .map((commands) => commands.join('\n')),
    fc.constantFrom(...COMPOUND).chain((shape) => filled(shape, tie('script') as fc.Arbitrary<string>)),
  ),
})).script;

const SLOT = /(?<![A-Za-z0-9_$'-])[WTNESQD](?![A-Za-z0-9_'])|(?<==)[WTE](?=')/g;

function filled(shape: string, scripts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const slots = [...shape.matchAll(SLOT)].map(([slot]) => filling(slot, scripts));
  return fc.tuple(...slots).map((fillings): string => {
    let index = 0;
    return shape.replace(SLOT, () => notRecursive(shape, fillings[index++] ?? ''));
  });
}

/** Prevents endless recursion. */
function notRecursive(shape: string, text: string): string {
  return /\(\) \{|function/.test(shape)
    ? text.replace(/(?<![A-Za-z0-9_$"'])(?:f|g|run)(?= )/g, 'true')
    : text;
}

function filling(slot: string, scripts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  switch (slot) {
    case 'W':
      return word;
    case 'T':
      return fc.constantFrom(...VALUES);
    case 'N':
      return fc.constantFrom(...NAMES);
    case 'E':
      return fc.constantFrom(...SUMS);
    case 'Q':
      return scripts.map((script) => `'${script.replaceAll('${V}', 'x').replaceAll("'", "'\\''")}'`);
    case 'D':
      return scripts.map((script) => `"${script.replaceAll('${V}', 'x').replace(/["\\`]/g, '\\$&')}"`);
    default:
      return scripts;
  }
}

/** How the value is passed to the script: the arguments of a command. */
export const COMMANDS: readonly ((shell: string, script: string) => readonly string[])[] = [
  (shell, script) => [shell, '-c', script],
  (shell, script) => [shell, '-c', script, '_', '${V}'],
  (shell, script) => [shell, '-c', script, '${V}', 'x', '${V}'],
  (shell, script) => ['env', 'A=${V}', shell, '-c', script],
  (shell, script) => ['env', 'v=${V}', 'A=${V}', 'timeout', '5', shell, '-c', script, '_', '${V}'],
];
