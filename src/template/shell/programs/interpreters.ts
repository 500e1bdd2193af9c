/** Programs that run code: which option or word is the code, which options take a value. */
import { table } from './table.ts';

export interface Interpreter {
  readonly code: readonly string[];
  /** Options that name a code file instead, and options that load additional code. */
  readonly files?: readonly string[];
  readonly preloads?: readonly string[];
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** Letters whose value, if any, is in the same word: `sed -i.orig`. */
  readonly ownValues?: string;
  /** The role of the first operand if no option contains the code. */
  readonly operand: 'code' | 'file';
  /** After the code option everything is data (`python -c`); otherwise more options may follow. */
  readonly endsOptions?: boolean;
  /** Options are also allowed after operands, as in GNU sed. */
  readonly permutes?: boolean;
  /** Without code and operand it reads code from standard input. */
  readonly readsInput?: boolean;
}

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
  // A category of warnings is a class that is imported.
  preloads: ['W', 'X'],
  operand: 'file',
  endsOptions: true,
  readsInput: true,
};
const NODE: Interpreter = {
  code: ['e', 'p', 'eval', 'print'],
  preloads: [
    ...[
      'r',
      'require',
      'import',
      'loader',
      'experimental-loader',
      'env-file',
      'env-file-if-exists',
      'openssl-config',
    ],
    ...[
      'experimental-config-file',
      'experimental-default-config-file',
      'snapshot-blob',
      'run',
      'test-reporter',
    ],
    ...[
      'test-global-setup',
      'build-snapshot-config',
      'experimental-sea-config',
      'tsconfig',
      'preload',
      'env',
    ],
  ],
  shortValues: 'C',
  longValues: ['conditions', 'input-type'],
  operand: 'file',
  readsInput: true,
};

const INTERPRETERS: ReadonlyMap<string, Interpreter> = table<Interpreter>({
  'awk gawk mawk nawk': AWK,
  'sed gsed': SED,
  'python python2 pypy pypy3 python3': PYTHON,
  'node nodejs bun tsx ts-node': NODE,
  perl: {
    code: ['e', 'E'],
    preloads: ['M', 'm', 'F', 'I', 'd', 'D', 'V'],
    ownValues: 'i0lxC',
    operand: 'file',
    readsInput: true,
  },
  ruby: {
    code: ['e'],
    preloads: ['r', 'I', 'F'],
    shortValues: 'CE',
    ownValues: 'i0KWTx',
    operand: 'file',
    readsInput: true,
  },
  php: {
    code: ['r', 'B', 'R', 'E', 'run', 'process-code', 'process-begin', 'process-end'],
    files: ['f', 'F', 'file', 'process-file'],
    preloads: ['c', 'd', 'z'],
    shortValues: 'S',
    operand: 'file',
    readsInput: true,
  },
  'lua luajit': { code: ['e'], preloads: ['l'], operand: 'file', readsInput: true },
  'Rscript R': { code: ['e'], operand: 'file', readsInput: true },
  julia: { code: ['e', 'E', 'eval', 'print'], preloads: ['L', 'load'], operand: 'file', readsInput: true },
  'groovy elixir': { code: ['e', 'eval'], preloads: ['r'], operand: 'file' },
  'guile sbcl clojure erl': {
    code: ['c', 'e', 'eval'],
    preloads: ['l', 'load'],
    operand: 'file',
    readsInput: true,
  },
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

function withoutVersion(name: string): string {
  let end = name.length;
  while (end > 0 && '0123456789.'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** `python3.12` and similar are looked up without the version. */
export function interpreterFor(name: string): Interpreter | undefined {
  return INTERPRETERS.get(name) ?? INTERPRETERS.get(withoutVersion(name));
}
