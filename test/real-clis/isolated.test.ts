/** Eight real Claude Codes side by side in one repository, each in its own worktree, with a scripted model behind them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RequestBody, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { CLAUDE_325, cleanEnvironment } from './clis.ts';
import { installClis } from './install.ts';

const WORKFLOW = `providers:
  claude: {adapter: claude}
steps:
  - name: Parts
    isolate: {commit: true, review: true}
    for_each:
      items: [1, 2, 3, 4, 5, 6, 7, 8]
      max_parallel: 8
      on_item_failure: continue
      steps:
        - {name: Work, provider: claude, permissions: bypass, prompt: "Do part-\${item}."}
    on: {failure: {goto: Rest}, success: {goto: _end}}
  - name: Rest
    for_each:
      items_from: steps.Parts.unmerged
      as: work
      steps:
        - name: Resolve
          when: {equals: {left: "\${work.reason}", right: conflict}}
          provider: claude
          permissions: bypass
          prompt: "Do resolve: the work of \${work.branch} conflicts in \${work.files}."
        - name: Rework
          when: {equals: {left: "\${work.reason}", right: rejected}}
          isolate: {commit: true}
          provider: claude
          permissions: bypass
          prompt: "Do rework of \${work.branch}: \${work.comment}"
`;

/** Parts 3 and 4 write the same file. */
function fileOf(part: string): string {
  return part === '3' || part === '4' ? 'shared.txt' : `part-${part}.txt`;
}

function answer(body: RequestBody): Turn {
  const text = JSON.stringify(body['messages']);
  const results = text.split('"tool_result"').length - 1;
  const done: Turn = { type: 'text', text: 'done' };
  const [, part] = /Do part-(\d)/.exec(text) ?? [];
  if (part !== undefined)
    return results > 0 ? done : CLAUDE_325.tools.write(fileOf(part), `by part ${part}\n`);
  if (text.includes('Do rework'))
    return results > 0 ? done : CLAUDE_325.tools.write('part-8.txt', 'by part 8, again\n');
  if (!text.includes('Do resolve')) return done;
  if (results === 0)
    return {
      type: 'tool',
      name: 'Bash',
      input: { command: 'echo "by part 4" >> shared.txt', description: 'resolve' },
    };
  return done;
}

describe(`Claude Code ${CLAUDE_325.version}, eight at once`, { timeout: 300_000 }, () => {
  beforeAll(() => installClis(), 15 * 60_000);

  it('six are merged, a conflict is resolved by a later step, one is sent back by the review', async () => {
    const workspace = new Workspace({
      'w.yaml': WORKFLOW,
      '.gitignore': '.orchestrate/\n.home/\n.config/\n',
      'mine.txt': 'mine\n',
    });
    const git = (...argv: readonly string[]): string =>
      execFileSync('git', ['-C', workspace.folder, ...argv], { encoding: 'utf8' });
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'first');
    workspace.write({ 'mine.txt': 'staged\n' });
    git('add', 'mine.txt');
    workspace.write({ 'mine.txt': 'not staged\n', 'untracked.txt': 'untracked\n' });
    const server = await startModelServer(answer);
    onTestFinished(() => server.close());
    const home = path.join(workspace.folder, '.home');
    fs.mkdirSync(home);
    const bin = path.join(home, 'bin');
    fs.mkdirSync(bin);
    const [command = ''] = CLAUDE_325.command();
    fs.writeFileSync(path.join(bin, 'claude'), `#!/bin/sh\nexec '${command}' "$@"\n`, { mode: 0o755 });
    const env = {
      ...cleanEnvironment(home),
      ...CLAUDE_325.settle({ home, url: server.url }),
      PATH: `${bin}:${process.env['PATH']}`,
    };
    const first = await workspace.run(['run', 'w.yaml'], { env });
    expect(first, first.stdout + first.stderr).toMatchObject({ exitCode: 3 });
    // Nothing is in the workspace before the review.
    expect(git('log', '--format=%s')).toBe('first\n');
    expect(workspace.list('.').filter((name) => /^(?:part|shared)/.test(name))).toEqual([]);
    for (const item of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const choice = item === 7 ? ['reject', '--comment', 'say it again'] : ['accept'];
      const answered = await workspace.run(
        ['approve', 'last', `Parts/${item}/review`, '--choose', ...choice],
        { env },
      );
      expect(answered, answered.stderr).toMatchObject({ exitCode: 0 });
    }
    const ended = await workspace.run(['resume', 'last'], { env });
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ exitCode: 0 });
    expect(git('log', '--format=%s', '--reverse').trim().split('\n')).toEqual([
      'first',
      ...[1, 2, 3, 5, 6, 7].map((part) => `Parts/${part - 1} (${part})`),
      'Rework',
    ]);
    for (const part of [1, 2, 5, 6, 7]) expect(workspace.read(`part-${part}.txt`)).toBe(`by part ${part}\n`);
    expect(workspace.read('shared.txt')).toBe('by part 3\nby part 4\n');
    expect(workspace.read('part-8.txt')).toBe('by part 8, again\n');
    // The user's own changes are as before; the resolution is in the files alone.
    expect(git('show', ':mine.txt')).toBe('staged\n');
    expect(workspace.read('mine.txt')).toBe('not staged\n');
    expect(git('status', '--porcelain')).toBe('MM mine.txt\n M shared.txt\n?? untracked.txt\n');
    const run = workspace.runs()[0];
    expect(git('branch', '--list', 'orchestrate/*', '--format=%(refname:short)').trim().split('\n')).toEqual([
      `orchestrate/${run}/Parts.3`,
      `orchestrate/${run}/Parts.7`,
    ]);
    expect(git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });
});
