/** Before a person answers on a terminal, `approve` shows what is asked about: the whole tool call, or the diff of isolated work. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { onTerminal } from '../rig/answering.ts';
import { Workspace } from '../rig/orchestrate.ts';

describe('approve on a terminal', () => {
  it('shows the input of a tool call in full, and nothing in it can steer the terminal', async () => {
    const workspace = new Workspace({
      'w.yaml': `providers:
  robot:
    adapter: mock
    script:
      tools: [{name: Bash, input: {command: "git push\\e[2J\\u202e origin", description: "one\\ntwo"}}]
steps:
  - {name: Ship, provider: robot, prompt: Ship., ask: [{tool: Bash, do: ask}]}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(3);
    const shown = await onTerminal(
      workspace,
      ['approve', 'last', 'tool-1'],
      [{ to: '): ', type: 'allow\r' }],
    );
    expect(shown.shown).toContain(
      'tool: Bash\ncommand: git push␛[2J<U+202E> origin\ndescription:\n  one\n  two',
    );
    expect(shown.shown).toContain('Recorded `allow` for `Ship/tool-1`');
    expect((await workspace.run(['resume', 'last'])).exitCode).toBe(0);
  });

  it('shows the diff of work that waits for a review', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Fix, command: [sh, -c, "echo new > file.txt"], isolate: {worktree: true, review: true}}
`,
      'file.txt': 'old\n',
    });
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...argv], { cwd: workspace.folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const env = {
      GIT_AUTHOR_NAME: 't',
      GIT_AUTHOR_EMAIL: 't@t',
      GIT_COMMITTER_NAME: 't',
      GIT_COMMITTER_EMAIL: 't@t',
    };
    const asked = await workspace.run(['run', 'w.yaml'], { env });
    expect(asked.exitCode, asked.stderr).toBe(3);
    const shown = await onTerminal(
      workspace,
      ['approve', 'last', 'Fix/review'],
      [{ to: '): ', type: 'accept\r' }],
    );
    expect(shown.shown).toContain('-old\n+new');
    expect(shown.shown).toContain('Recorded `accept`');
  });
});
