/** A run with isolated work, in a repository in which the user has changes of every kind. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { must, mustEqual } from '../must.ts';
import { createSite, runsIn, type Site } from '../site/site.ts';
import type { Trial } from '../suite.ts';

/**
 * Each work step adds its name to a list outside its worktree, so that a repetition is seen. An interrupted step is repeated in its worktree, on
 * what it had done by then, so each can be repeated. It syncs what it writes: files of a command are as safe from a power loss as the command
 * makes them.
 */
const WORKFLOW = `steps:
  - name: Each
    isolate: {commit: true}
    for_each:
      items: [one, two]
      max_parallel: 2
      steps:
        - {name: Work, command: [sh, work.sh, "\${item}"]}
  - name: Files
    isolate: {setup: [touch, set-up]}
    script: |
      echo files >> "$HOME/ran"
      rm -f gone.txt
      mkdir -p new && echo new > new/file.txt
      sync new/file.txt
`;

const WORK = `echo "$1" >> "$HOME/ran"
echo "$1" > "$1.txt"
sed -i "s/^last $1/work of $1/" list.txt
sync "$1.txt" list.txt
`;

const LIST = ['first', '1', '2', '3', 'middle', '4', '5', '6', 'last one', '7', '8', '9', 'last two'];
const STAGED = LIST.with(0, 'first, staged by the user');
const UNSTAGED = STAGED.with(4, 'middle, changed by the user');
const DONE = (lines: readonly string[]): readonly string[] =>
  lines.with(8, 'work of one').with(12, 'work of two');

const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

export interface Play {
  readonly site: Site;
  git(...argv: readonly string[]): string;
}

export function setUp(trial: Trial): Play {
  return setUpIn(createSite(trial));
}

export function setUpIn(site: Site): Play {
  const git = (...argv: readonly string[]): string => {
    const env = {
      ...process.env,
      HOME: site.path('.home'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    };
    return execFileSync('git', ['-C', site.path('work'), ...argv], { encoding: 'utf8', env });
  };
  site.write({
    '.home/.keep': '',
    'work/.gitignore': '.orchestrate/\n',
    'work/w.yaml': WORKFLOW,
    'work/work.sh': WORK,
    'work/list.txt': text(LIST),
    'work/gone.txt': 'gone\n',
  });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Proof');
  git('config', 'user.email', 'proof@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  site.write({ 'work/list.txt': text(STAGED) });
  git('add', 'list.txt');
  site.write({ 'work/list.txt': text(UNSTAGED), 'work/untracked.txt': 'untracked\n' });
  return { site, git };
}

export const ENVIRONMENT = (site: Site): Readonly<Record<string, string>> => ({
  HOME: site.path('.home'),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
});

/** Disk operations are recorded, or the program is killed at one. */
export function killAt(root: string, order: object): Readonly<Record<string, string>> {
  const shim = path.join(root, 'proof', 'rig', 'kill-at.cjs');
  return { NODE_OPTIONS: `--require=${shim}`, KILL_AT: JSON.stringify(order) };
}

export const run = (...argv: readonly string[]): readonly string[] => ['-C', 'work', ...argv];

/** What must hold when the run has ended, however often it was killed. */
export function mustBeComplete({ site, git }: Play): void {
  mustEqual(site.read('work/list.txt'), text(DONE(UNSTAGED)), 'list.txt: the work and the unstaged changes');
  mustEqual(
    git('show', ':list.txt'),
    text(DONE(STAGED)),
    'list.txt in the index: the work and the staged changes',
  );
  mustEqual(git('show', 'HEAD:list.txt'), text(DONE(LIST)), 'list.txt in the last commit: the work alone');
  mustEqual(site.read('work/untracked.txt'), 'untracked\n', 'untracked.txt');
  mustEqual(site.read('work/new/file.txt'), 'new\n', 'new/file.txt');
  mustEqual(git('log', '--format=%s', '--reverse'), 'first\nEach/0 (one)\nEach/1 (two)\n', 'one commit each');
  mustEqual(
    git('status', '--porcelain'),
    ' D gone.txt\nMM list.txt\n?? new/\n?? set-up\n?? untracked.txt\n',
    'git status',
  );
  mustEqual(git('for-each-ref', '--format=%(refname)'), 'refs/heads/main\n', 'branches and refs');
  mustEqual(git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length, 1, 'worktrees');
  mustEqual(site.list('work/.git/worktrees'), [], '.git/worktrees');
  const locks = fs
    .readdirSync(site.path('work/.git'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.lock$|orchestrate-index/.test(name) && !name.startsWith('objects'));
  mustEqual(locks, [], 'locks in .git');
  const [id = ''] = runsIn(site.path('work'));
  mustEqual(site.list(path.join('work/.orchestrate/runs', id, 'worktrees')), [], 'worktrees of the run');
  const ran = site.lines('.home/ran');
  for (const each of ['one', 'two', 'files']) {
    const times = ran.filter((line) => line === each).length;
    // Only a step that was running when the program was killed is repeated.
    must(times >= 1 && times <= 2, () => ({
      expected: `\`${each}\` once, or twice if interrupted`,
      found: `${times}`,
    }));
  }
  must(ran.length <= 5, () => ({ expected: 'only interrupted steps repeated', found: ran.join(', ') }));
}
