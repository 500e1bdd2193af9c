/** Isolated work whose steps run on machines that share no folder has the same outcome as on one machine. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

async function team(files: { readonly [path: string]: string }, git = ''): Promise<GitTeam> {
  const machines = new GitTeam(await database.create(), files, git);
  for (const name of ['one', 'two']) await machines.worker(name);
  return machines;
}

describe('with a hub, isolated work', () => {
  it('sees what its own steps wrote and nothing of the others, and is merged when it has succeeded', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'shared.txt': 'a\nb\nc\nd\ne\nf\n',
      'items.yaml': `name: items
steps:
  - name: Fix
    isolate: worktree
    for_each:
      items: [first, last]
      max_parallel: 2
      steps:
        - name: Write
          command:
            - sh
            - -c
            - |
              touch ${meeting}/$1
              while [ ! -e ${meeting}/first ] || [ ! -e ${meeting}/last ]; do sleep 0.05; done
              if [ "$1" = first ]; then sed -i 's/^a$/A/' shared.txt; else sed -i 's/^f$/F/' shared.txt; fi
              echo $1 > $1.txt
            - sh
            - "\${item}"
        - name: Look
          command: [sh, -c, 'ls *.txt | tr "\\n" " "; cat $1.txt', sh, "\${item}"]
          expect: { files: ["\${item}.txt"] }
  - name: After
    command: [cat, shared.txt, first.txt, last.txt]
`,
    });
    const run = await machines.run('run', 'items.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('first.txt shared.txt first\\n');
    expect(run.stdout).toContain('last.txt shared.txt last\\n');
    expect(run.stdout).toContain('A\\nb\\nc\\nd\\ne\\nF\\nfirst\\nlast\\n');
    const runId = await machines.onlyRun();
    expect(machines.refs()).toEqual(
      ['head', 'run/files', 'start'].map((name) => `refs/orchestrate/${runId}/${name}`),
    );
    const diff = await machines.run('diff', runId, 'Fix/0');
    expect(diff.stdout).toContain('+A');
    expect(diff.stdout).not.toContain('+F');
  }, 120_000);

  it('with `commit` is one commit, by its author and with its words, also for parallel items', async () => {
    const machines = await team({
      'commit.yaml': `name: commit
steps:
  - name: Fix
    isolate: { commit: { message: Fix it, author: "Ann <ann@example.com>" } }
    for_each:
      items: [one, two]
      max_parallel: 2
      steps:
        - { name: Write, command: [sh, -c, 'echo $1 > $1.txt', sh, "\${item}"] }
        - { name: More, command: [sh, -c, 'echo more >> $1.txt', sh, "\${item}"] }
`,
    });
    const run = await machines.run('run', 'commit.yaml', '--engine', '--trust');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    expect(await machines.run('pull', runId)).toMatchObject({ exitCode: 0 });
    const log = machines.user.git('log', '--format=%an: %s', '--name-only', `main..orchestrate/${runId}`);
    expect(log).toBe('Ann: Fix it\n\ntwo.txt\nAnn: Fix it\n\none.txt');
    expect(machines.user.git('show', `orchestrate/${runId}:two.txt`)).toBe('two\nmore');
  }, 120_000);

  it('with `review` waits for a person, who sees the diff; the next turn merges it, on whichever host', async () => {
    const machines = await team({
      'review.yaml': `name: review
steps:
  - name: Fix
    isolate: { review: true }
    command: [sh, -c, 'echo hello > greeting.txt']
  - { name: After, command: [cat, greeting.txt] }
`,
    });
    const first = await machines.run('run', 'review.yaml', '--engine', '--trust');
    expect(first, first.stderr).toMatchObject({ exitCode: 3 });
    const runId = await machines.onlyRun();
    expect(machines.files(runId)).not.toContain('greeting.txt');
    const diff = await machines.run('diff', runId, 'Fix');
    expect(diff.stdout).toContain('+hello');
    expect(await machines.run('approve', runId, 'Fix/review', '--choose', 'accept')).toMatchObject({
      exitCode: 0,
    });
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and status = 'completed'`,
    );
    expect(machines.file(runId, 'greeting.txt')).toBe('hello\n');
  }, 120_000);

  it('that is rejected is kept on a branch that `pull` brings, and is done again from there', async () => {
    const machines = await team({
      'reject.yaml': `name: reject
steps:
  - name: Fix
    isolate: { review: true }
    command: [sh, -c, 'cat tries.txt 2>/dev/null; echo x >> tries.txt']
`,
    });
    await machines.run('run', 'reject.yaml', '--engine', '--trust');
    const runId = await machines.onlyRun();
    await machines.run('approve', runId, 'Fix/review', '--choose', 'reject', '--comment', 'no');
    await machines.untilRow(`select from orchestrate.runs where run_id = '${runId}' and status = 'failed'`);
    const branch = `orchestrate/${runId}+Fix`;
    expect((await machines.run('show', runId)).stdout).toContain(branch);
    expect(await machines.run('pull', runId)).toMatchObject({ exitCode: 0 });
    expect(machines.user.git('show', `${branch}:tries.txt`)).toBe('x');
    expect(await machines.run('resume', runId)).toMatchObject({ exitCode: 3 });
    expect(await machines.run('approve', runId, 'Fix/review', '--choose', 'accept')).toMatchObject({
      exitCode: 0,
    });
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and status = 'completed'`,
    );
    expect(machines.file(runId, 'tries.txt')).toBe('x\nx\n');
    expect(machines.refs().filter((ref) => /kept|isolated/.test(ref))).toEqual([]);
  }, 120_000);

  it('that conflicts fails so, and a later step brings it in from its branch', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'shared.txt': 'line\n',
      'conflict.yaml': `name: conflict
steps:
  - name: Fix
    isolate: worktree
    for_each:
      items: [one, two]
      max_parallel: 2
      on_item_failure: continue
      steps:
        - name: Write
          command:
            - sh
            - -c
            - |
              touch ${meeting}/$1
              while [ ! -e ${meeting}/one ] || [ ! -e ${meeting}/two ]; do sleep 0.05; done
              echo $1 > shared.txt
            - sh
            - "\${item}"
    on: { success: { goto: _end }, failure: { goto: Resolve } }
  - name: Resolve
    for_each:
      items_from: steps.Fix.unmerged
      as: work
      steps:
        - name: Merge
          command:
            - sh
            - -c
            - 'echo $1 $2; git diff HEAD...$3; cat shared.txt; git show $3:shared.txt >> shared.txt'
            - sh
            - "\${work.reason}"
            - "\${work.files}"
            - "\${work.branch}"
`,
    });
    const run = await machines.run('run', 'conflict.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    expect(machines.file(runId, 'shared.txt')).toBe('one\ntwo\n');
    expect(run.stdout).toMatch(/conflict .*shared\.txt.*-line\\n\+two\\none\\n/);
  }, 120_000);

  it('has ignored files that `include` names, and each of its checkouts is prepared by `setup`', async () => {
    const machines = await team({
      'extra.yaml': `name: extra
steps:
  - name: Fix
    isolate: { include: ['ignored/.env'], setup: [sh, -c, 'mkdir -p ignored/modules; echo made > ignored/modules/m'] }
    for_each:
      items: [one]
      steps:
        - { name: First, command: [sh, -c, 'cat ignored/.env ignored/modules/m; echo x > first.txt'] }
        - { name: Second, command: [sh, -c, 'cat ignored/.env ignored/modules/m first.txt'] }
  - { name: After, command: [sh, -c, 'test ! -e ignored/modules && cat first.txt'] }
`,
    });
    machines.user.workspace.write({ 'ignored/.env': 'A=1\n', 'ignored/other': 'x\n' });
    const run = await machines.run('run', 'extra.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('A=1\\nmade\\nx\\n');
    const runId = await machines.onlyRun();
    expect(machines.files(runId)).not.toContain('ignored/modules/m');
  }, 120_000);

  it('is continued by another host when its own is killed, with what its steps had written', async () => {
    const outside = temporaryFolder();
    const machines = new GitTeam(await database.create(), {
      'held.yaml': `name: held
steps:
  - name: Fix
    isolate: worktree
    for_each:
      items: [one]
      steps:
        - { name: Write, command: [sh, -c, 'echo written > made.txt'] }
        - name: Held
          command: [sh, -c, 'touch ${outside}/started; while [ ! -e ${outside}/go ]; do sleep 0.05; done; cat made.txt > held.txt']
        - { name: Look, command: [sh, -c, 'cat made.txt held.txt > both.txt'] }
  - { name: After, command: [cat, both.txt] }
`,
    });
    const flags = ['--labels', 'other'];
    const hosts = [await machines.worker('one', { flags }), await machines.worker('two', { flags })];
    await machines.worker('three', { flags: ['--no-runs'] });
    const runId = await machines.detached('held.yaml');
    await until(() => fs.existsSync(`${outside}/started`));
    const first = await machines.hostOf(runId);
    hosts.find(({ name }) => name === first)?.child.kill('SIGKILL');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    fs.writeFileSync(`${outside}/go`, '');
    expect(await machines.ended(runId)).toBe('completed');
    expect(machines.file(runId, 'both.txt')).toBe('written\nwritten\n');
    expect(machines.refs().filter((ref) => /kept|isolated/.test(ref))).toEqual([]);
  }, 120_000);
});
