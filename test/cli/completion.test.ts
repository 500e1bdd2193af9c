/** Completion in the real shells. A shell that is not installed is skipped, by name. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const WAITS = `name: Waits
steps:
  - {name: First, command: [echo, hi]}
  - {name: Sure, approve: {message: "ok?"}}
  - {name: Last, command: ["true"]}
`;

/** With `orchestrate` on its PATH, a run that waits, and files with awkward names. */
async function stage(): Promise<Workspace> {
  const workspace = new Workspace({
    'flows/waits.yaml': WAITS,
    'flows/other file.yml': WAITS,
    'flows/notes.txt': '',
    'sub/x': '',
  });
  workspace.write({ 'bin/orchestrate': `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n` });
  fs.chmodSync(path.join(workspace.folder, 'bin/orchestrate'), 0o755);
  for (const name of ['orchestrate-run', 'claude-iterate'])
    fs.cpSync(path.join(workspace.folder, 'bin/orchestrate'), path.join(workspace.folder, 'bin', name));
  expect((await workspace.run(['run', 'flows/waits.yaml', '-q'])).exitCode).toBe(3);
  return workspace;
}

function shell(workspace: Workspace, argv: readonly string[], input = ''): string {
  const [program = '', ...rest] = argv;
  const ran = spawnSync(program, rest, {
    cwd: workspace.folder,
    input,
    encoding: 'utf8',
    timeout: 50_000,
    env: {
      PATH: `${path.join(workspace.folder, 'bin')}:${process.env['PATH']}`,
      HOME: workspace.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      TERM: 'dumb',
    },
  });
  return `${ran.stdout}${ran.stderr}`;
}

/** Typed words, the last one unfinished, and what is offered; `ID` is the run. */
const CASES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['val'], ['validate']],
  [
    ['session', 'st'],
    ['start', 'status'],
  ],
  [['logs', '--ra'], ['--raw']],
  [
    ['costs', '--by', ''],
    ['day', 'workflow', 'agent', 'model'],
  ],
  [
    ['logs', ''],
    ['last', 'ID'],
  ],
  [['logs', 'last', 'F'], ['First']],
  [['fork', 'last', '--from', 'La'], []],
  [['approve', 'last', ''], ['Sure']],
  [
    ['run-step', '--workflow', 'flows/waits.yaml', ''],
    ['First', 'Sure', 'Last'],
  ],
  [
    ['run', 'flows/'],
    ['flows/other file.yml', 'flows/waits.yaml'],
  ],
  [['-C', 'flows', 'run', 'wa'], ['waits.yaml']],
  [['-C', 's'], ['sub/']],
  [['nonsense', ''], []],
];

function settled(lines: readonly string[], workspace: Workspace): readonly string[] {
  return lines.map((line) => line.replace(workspace.runs()[0] ?? '?', 'ID')).sort();
}

describe('orchestrate complete', () => {
  it('offers commands, options, choices, runs, steps and files, also from a subfolder, and prints no error', async () => {
    const workspace = await stage();
    for (const [words, offered] of CASES) {
      const { exitCode, stdout, stderr } = await workspace.run(['complete', '--', ...words]);
      const values = stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split('\t')[0] ?? '');
      expect([words, exitCode, stderr, settled(values, workspace)]).toEqual([
        words,
        0,
        '',
        [...offered].sort(),
      ]);
    }
    const inside = await workspace.run(['complete', '--', 'show', ''], {
      in: 'sub',
      env: { HOME: temporaryFolder() },
    });
    expect(inside.stdout).toContain(workspace.runs()[0]);
  });
});

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('the script of `completion`', () => {
  it.skipIf(!has('bash'))('completes in bash', async () => {
    const workspace = await stage();
    for (const [words, offered] of CASES) {
      const quoted = ['orchestrate', ...words].map((word) => `'${word}'`).join(' ');
      const said = shell(
        workspace,
        ['bash', '--norc'],
        `eval "$(orchestrate completion bash)"\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; compopt() { :; }; _orchestrate; printf '<%s>\\n' "\${COMPREPLY[@]}"\n`,
      );
      const values = [...said.matchAll(/^<(.+)>$/gm)].map(([, value]) => value ?? '');
      const bare = offered.map((each) => each.replace(/\/$/, ''));
      expect([words, settled(values, workspace)]).toEqual([words, bare.sort()]);
    }
    const own = shell(
      workspace,
      ['bash', '--norc'],
      `eval "$(orchestrate completion bash)"\nCOMP_WORDS=(claude-iterate temp); COMP_CWORD=1; _orchestrate; printf '<%s>\\n' "\${COMPREPLY[@]}"; complete -p orchestrate orchestrate-run claude-iterate\n`,
    );
    expect(own).toContain('<template>');
    for (const name of ['orchestrate', 'orchestrate-run', 'claude-iterate'])
      expect(own).toContain(`complete -F _orchestrate ${name}\n`);
  });

  it.skipIf(!has('fish'))('completes in fish', async () => {
    const workspace = await stage();
    for (const [words, offered] of CASES) {
      const line = ['orchestrate', ...words].join(' ');
      const said = shell(workspace, [
        'fish',
        '--no-config',
        '-c',
        `orchestrate completion fish | source; complete -C '${line}'`,
      ]);
      const values = said
        .split('\n')
        .filter((each) => each !== '')
        .map((each) => each.split('\t')[0] ?? '');
      expect([words, settled(values, workspace)]).toEqual([words, [...offered].sort()]);
    }
  });

  it.skipIf(!has('zsh'))('completes in zsh', async () => {
    const workspace = await stage();
    /** What the shell shows once the expected text is there; it waits for it. */
    const typed = (line: string, expected: string): string =>
      shell(
        workspace,
        ['zsh', '-f'],
        `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1= ; autoload -Uz compinit; compinit -u -d ./zcompdump; eval "$(orchestrate completion zsh)"; bindkey "^I" complete-word; PS1="rea""dy> "'
zpty -r z out '*ready> *'
zpty -w -n z $'${line}\t'
expected='${expected}'
zpty -r z out "*\${(b)expected}*"
print -r -- "$out"
`,
      );
    for (const [line, expected] of [
      ['orchestrate val', 'validate '],
      ['orchestrate run flows/wai', 'waits.yaml '],
      ['orchestrate run flows/oth', 'other\\ file.yml '],
      ['orchestrate logs last F', 'First '],
      ['orchestrate costs --by m', 'model '],
      ['orchestrate-run val', 'validate '],
      ['claude-iterate temp', 'template '],
    ] as const)
      expect(typed(line, expected)).toContain(expected);
  });

  it('is refused for another shell', async () => {
    const { exitCode, stderr } = await new Workspace().run(['completion', 'tcsh']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('is invalid: allowed choices are bash, zsh, fish\n'),
    ]);
  });
});
