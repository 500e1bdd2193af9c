import { describe, expect, it } from 'vitest';
import { isInertVariable } from '../../src/template/inert.ts';
import { parseCommandTokens } from '../../src/template/parse-tokens.ts';
import { objectScope } from '../../src/template/scope.ts';
import { parseCommand, renderCommand, shellScripts } from '../../src/template/shell/command.ts';
import type { Reference } from '../../src/template/template.ts';

const scope = objectScope({
  x: "it's",
  y: '$(id)',
  n: '20260131T235959Z',
  empty: '',
  nul: 'a\0b',
  list: ['a', 'b'],
});
const isInert = (reference: Reference): boolean => reference.text === 'n';

describe('arguments that are shell scripts', () => {
  it.each<[string, number | undefined]>([
    ['bash -c S', 2],
    ['sh -c S', 2],
    ['/bin/bash -c S x y', 2],
    ['/usr/bin/env bash -c S', 3],
    ['bash -lc S', 2],
    ['bash -ec S', 2],
    ['bash -euxo pipefail -c S', 4],
    ['bash -o errexit -c S', 4],
    ['bash -O extglob -c S', 4],
    ['bash --norc --noprofile -c S', 4],
    ['bash --rcfile f -c S', 4],
    ['bash -c -- S', 3],
    ['bash +x -c S', 3],
    ['zsh -c S', 2],
    ['dash -c S', 2],
    ['busybox sh -c S', 3],
    ['env -i A=b C=d sh -c S', 6],
    ['env -u HOME -C / bash -c S', 7],
    ['timeout 5 bash -c S', 4],
    ['timeout -k 3 -s KILL 5m bash -c S', 8],
    ['timeout --signal=KILL 5 bash -c S', 5],
    ['sudo bash -c S', 3],
    ['sudo -nu root -- bash -c S', 6],
    ['sudo A=b bash -c S', 4],
    ['nice -n 5 ionice -c 2 nohup setsid stdbuf -oL bash -c S', 12],
    ['time -p bash -c S', 4],
    ['xargs -0 -n 1 bash -c S', 6],
    ['xargs -I{} sh -c S', 4],
    ['chroot /srv bash -c S', 4],
    ['env timeout 5 sudo -u me nice sh -ec S', 9],
    ['docker exec -it box bash -lc S', 6],
    ['bash script.sh -c S', undefined],
    ['bash -s S', undefined],
    ['echo bash -c S', undefined],
    ['env -S bash', undefined],
    ['true', undefined],
    ['node -e S', undefined],
  ])('%s → %s', (command, index) => {
    expect(shellScripts(command.split(' '))).toEqual(index === undefined ? [] : [index]);
  });

  it('can be more than one', () => {
    const argv = ['find', '.', '-exec', 'sh', '-c', 'S', ';', '-exec', 'bash', '-c', 'T', ';'];
    expect(shellScripts(argv)).toEqual([5, 10]);
  });
});

describe('arguments that are code for another interpreter', () => {
  it.each<[string, number | undefined]>([
    ['python3 -c CODE x', 2],
    ['/usr/bin/python3.12 -u -c CODE', 3],
    ['node -e CODE', 2],
    ['node -pe CODE', 2],
    ['node --eval CODE', 2],
    ['perl -ne CODE file', 2],
    ['perl -i.orig -pe CODE file', 3],
    ['ruby -e CODE', 2],
    ['php -r CODE', 2],
    ['awk CODE file', 1],
    ['awk -F , -v a=b CODE file', 5],
    ['sed CODE file', 1],
    ['sed -n -e CODE file', 3],
    ['jq --arg a b CODE file', 4],
    ['deno eval CODE', 2],
    ['osascript -e CODE', 2],
    ['timeout 5 python3 -c CODE', 4],
    ['python3 script.py x', undefined],
    ['python3 -m CODE x', 2],
    ['grep -e CODE file', undefined],
  ])('%s → %s', (command, index) => {
    const argv = command.split(' ').map((word) => word.replace('CODE', '${x}'));
    const refused = parseCommand(argv).problems.map(({ argument }) => argument);
    expect(refused).toEqual(index === undefined ? [] : [index]);
  });
});

describe('a command with values', () => {
  const argvOf = (argv: readonly string[]) => {
    const parsed = parseCommand(argv, { isInert });
    expect(parsed.problems).toEqual([]);
    return renderCommand(JSON.parse(JSON.stringify(parsed)), scope);
  };

  it.each<[string[], string[]]>([
    [['true'], ['true']],
    [
      ['echo', '${x} $HOME $$5'],
      ['echo', "it's $HOME $5"],
    ],
    [
      ['mv', '${x}', 'done/${n}/'],
      ['mv', "it's", 'done/20260131T235959Z/'],
    ],
    [
      ['bash', '-c', 'echo ${x} "${x}" \'${y}\''],
      ['bash', '-c', "echo 'it'\\''s' \"it's\" '$(id)'"],
    ],
    [
      ['bash', '-c', 'echo "$1"', '_', '${y}'],
      ['bash', '-c', 'echo "$1"', '_', '$(id)'],
    ],
    [
      ['env', 'TITLE=${y}', 'bash', '-c', 'echo "$TITLE"'],
      ['env', 'TITLE=$(id)', 'bash', '-c', 'echo "$TITLE"'],
    ],
    [
      ['bash', '-c', 'echo ${empty}'],
      ['bash', '-c', "echo ''"],
    ],
    [
      ['bash', '-c', 'cat <<E > out-$(date +%s)-${n}\n${n}\nE\necho $(( 1 + ${n} ))'],
      [
        'bash',
        '-c',
        "cat <<E > out-$(date +%s)-'20260131T235959Z'\n20260131T235959Z\nE\necho $(( 1 + 20260131T235959Z ))",
      ],
    ],
    [
      ['python3', '-c', 'import sys; print(sys.argv[1])', '${y}'],
      ['python3', '-c', 'import sys; print(sys.argv[1])', '$(id)'],
    ],
    [
      ['${x}', 'literal'],
      ["it's", 'literal'],
    ],
    [
      ['echo', '${list}'],
      ['echo', '["a","b"]'],
    ],
  ])('%j becomes %j', (argv, expected) => {
    expect(argvOf(argv)).toEqual({ type: 'ok', value: expected });
  });

  it('reports every undefined variable and unusable value in all arguments', () => {
    expect(argvOf(['bash', '-c', 'echo ${nul} ${no.1}', '${no.2}', '${nul}'])).toEqual({
      type: 'error',
      error: {
        undefinedNames: ['no.1', 'no.2'],
        unusable: [
          { name: 'nul', reason: 'nul-byte' },
          { name: 'nul', reason: 'nul-byte' },
        ],
      },
    });
  });

  it('checks plain values when they are inserted', () => {
    const parsed = parseCommand(['bash', '-c', 'cat <<E\n${y}\nE'], { isInert: () => true });
    expect(parsed.problems).toEqual([]);
    expect(renderCommand(parsed, scope)).toEqual({
      type: 'error',
      error: { undefinedNames: [], unusable: [{ name: 'y', reason: 'not-plain' }] },
    });
  });

  it('allows only the plain values of a run anywhere', () => {
    const scripts = (name: string) => [
      `cat <<'E'\n\${${name}}\nE`,
      `echo $((\${${name}} + 1))`,
      `# \${${name}}`,
    ];
    const refused = (name: string) =>
      scripts(name).some(
        (script) => parseCommand(['sh', '-c', script], { isInert: isInertVariable }).problems.length > 0,
      );
    const plain = [
      'run.id',
      'run.timestamp_utc',
      'run.root',
      'loop.index',
      'loop.total',
      'steps.A.exit_code',
      'steps.A.duration',
      'steps.A.duration_ms',
      'steps.A.outcome',
      'steps.A.cost_usd',
    ];
    expect(plain.filter(refused)).toEqual([]);
    const others = ['item', 'context.exit_code', 'steps.A.output', 'steps.A.json.exit_code'];
    expect(others.filter(refused)).toEqual(others);
  });

  it.each<[string[], number, string]>([
    [['env', '-S', 'bash -c ${x}'], 2, '${x}'],
    [['env', '${x}', 'bash', '-c', 'true'], 1, '${x}'],
    [['env', 'BASH_ENV=${x}', 'bash', '-c', 'true'], 1, '${x}'],
    [['bash', '${x}', 'echo'], 1, '${x}'],
    [['bash', '-c', '${x}'], 2, '${x}'],
    [['${x}', '-c', 'echo ${y}'], 2, '${y}'],
    [['ssh', 'host', 'ls ${x}'], 2, '${x}'],
    [['python3', '-c', 'print("${x}")'], 2, '${x}'],
    [['awk', '/${x}/', 'file'], 1, '${x}'],
    [['sed', '-i', 's/a/b/', '${x}'], 3, '${x}'],
    [['fish', '-c', 'echo ${x}'], 2, '${x}'],
    [['find', '.', '-exec', '${y}', '${x}', ';'], 4, '${x}'],
    [['make', 'NAME=${x}'], 1, '${x}'],
  ])('%j is rejected at argument %i', (argv, argument, at) => {
    const { problems } = parseCommand(argv);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.argument).toBe(argument);
    expect(argv[argument]?.slice(problems[0]?.start, problems[0]?.end)).toBe(at);
  });

  it('accepts what the messages advise', () => {
    for (const argv of [
      ['sed', '-i', 's/a/b/', '--', '${x}'],
      ['sed', '-i', 's/a/b/', './${x}'],
      ['python3', '${run.root}/tools/x.py', '${x}'],
      ['env', 'value=${x}', 'bash', '-c', 'cat <<E\n$value\nE'],
      ['jq', '--arg', 'title', '${x}', '.title = $title', 'file.json'],
    ]) {
      expect(parseCommand(argv).problems, argv.join(' ')).toEqual([]);
    }
  });

  it('applies the same rules to other spellings', () => {
    const parse = (text: string) => parseCommandTokens(text, new Set(['input']));
    const options = { parse, spelling: 'tokens' } as const;
    expect(parseCommand(['grep', '-e', '{{input.pattern}}'], options).problems).toEqual([]);
    expect(parseCommand(['sh', '-c', 'cat <<E\n{{input.path}}\nE'], options).problems[0]?.message).toBe(
      '`{{input.path}}` is used inside a heredoc, where quoting does not protect it',
    );
  });
});
