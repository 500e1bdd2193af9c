/** Files of runs that travel through a hub, between machines that share no folder. */
import { describe, expect, it } from 'vitest';
import { serverForFile } from '../rig/postgres/for-file.ts';
import { GitTeam } from './git-team.ts';

const database = serverForFile();

async function team(files: { readonly [path: string]: string }, git = ''): Promise<GitTeam> {
  return new GitTeam(await database.create(), files, git);
}

const CHAIN = `name: chain
steps:
  - name: Read
    command: [sh, -c, 'cat given.txt untracked.txt']
  - name: Write
    command: [sh, -c, 'echo written > out.txt; mkdir -p ignored; echo x > ignored/x']
  - name: Use
    command: [sh, -c, 'cat out.txt; test ! -e ignored/x && echo no ignored file']
`;

describe('a run whose files travel', () => {
  it('starts with the files as they are, and each step sees what the steps before it wrote', async () => {
    const machines = await team({ 'chain.yaml': CHAIN, 'given.txt': 'committed\n' });
    machines.user.workspace.write({ 'given.txt': 'changed\n', 'untracked.txt': 'untracked\n' });
    const before = machines.user.git('status', '--porcelain', '--ignored');
    await machines.worker('one');
    await machines.worker('two');
    const run = await machines.run('run', 'chain.yaml', '--engine', '--trust', '--json');
    expect(run).toMatchObject({ exitCode: 0 });
    const outputs = run.stdout;
    expect(outputs).toContain('changed\\nuntracked\\n');
    expect(outputs).toContain('written\\nno ignored file\\n');
    expect(machines.user.git('status', '--porcelain', '--ignored')).toBe(before);
  }, 60_000);
});
