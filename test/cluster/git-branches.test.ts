/** Branches whose steps run on machines that share no folder have the same outcome as on one machine. */
import { describe, expect, it } from 'vitest';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

async function team(files: { readonly [path: string]: string }): Promise<GitTeam> {
  const machines = new GitTeam(await database.create(), files);
  for (const name of ['one', 'two']) await machines.worker(name);
  return machines;
}

/** Waits until both `a` and `b` have come this far. */
function meet(folder: string): string {
  return `touch ${folder}/$1; while [ ! -e ${folder}/a ] || [ ! -e ${folder}/b ]; do sleep 0.05; done`;
}

describe('with a hub', () => {
  it('branches of a `parallel` have the same files, and what each changed is merged', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'shared.txt': 'a\nb\nc\nd\ne\nf\n',
      'parallel.yaml': `name: parallel
steps:
  - name: Both
    parallel:
      branches:
        - name: First
          steps:
            - { name: Write, command: [sh, -c, '${meet(meeting)}; sed -i s/^a$/A/ shared.txt; echo 1 > first.txt', sh, a] }
            - { name: Look, command: [sh, -c, 'cat first.txt; head -n 1 shared.txt'] }
        - name: Second
          steps:
            - { name: Change, command: [sh, -c, '${meet(meeting)}; sed -i s/^f$/F/ shared.txt; rm parallel.yaml', sh, b] }
  - { name: After, command: [sh, -c, 'cat shared.txt; ls'] }
`,
    });
    const run = await machines.run('run', 'parallel.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('"1\\nA\\n"');
    expect(run.stdout).toContain('"A\\nb\\nc\\nd\\ne\\nF\\nfirst.txt\\nshared.txt\\n"');
  }, 120_000);

  it('isolated branches see nothing of each other, and one that fails leaves its work on a branch', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'isolated.yaml': `name: isolated
steps:
  - name: Both
    isolate: worktree
    parallel:
      join: all_done
      branches:
        - name: First
          steps:
            - { name: Write, command: [sh, -c, 'echo 1 > first.txt; ${meet(meeting)}', sh, a] }
            - { name: Look, command: [sh, -c, 'ls *.txt'] }
        - name: Second
          steps:
            - { name: Change, command: [sh, -c, 'echo 2 > second.txt; ${meet(meeting)}', sh, b] }
            - { name: Fail, command: [sh, -c, 'ls *.txt; exit 7'] }
  - { name: After, command: [sh, -c, 'echo after *.txt'] }
`,
    });
    const run = await machines.run('run', 'isolated.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('"first.txt\\n"');
    expect(run.stdout).toContain('"second.txt\\n"');
    expect(run.stdout).toContain('"after first.txt\\n"');
    const runId = await machines.onlyRun();
    expect(await machines.run('pull', runId)).toMatchObject({ exitCode: 0 });
    const branches = machines.user.git('branch', '--format=%(refname:short)').split('\n');
    const kept = branches.filter((name) => name.startsWith(`orchestrate/${runId}+`));
    expect(kept).toHaveLength(1);
    expect(machines.user.git('show', `${kept[0]}:second.txt`)).toBe('2');
  }, 120_000);

  it('isolated steps of a `graph` see the files of those that they need', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'graph.yaml': `name: graph
steps:
  - name: Graph
    isolate: worktree
    graph:
      steps:
        - { name: Left, command: [sh, -c, 'echo l > left.txt; ${meet(meeting)}', sh, a] }
        - { name: Right, command: [sh, -c, 'echo r > right.txt; ${meet(meeting)}', sh, b] }
        - { name: Join, needs: [Left, Right], command: [sh, -c, 'cat left.txt right.txt > joined.txt'] }
        - { name: Last, needs: [Join], command: [sh, -c, 'cat joined.txt; mv joined.txt end.txt'] }
  - { name: After, command: [sh, -c, 'echo *.txt'] }
`,
    });
    const run = await machines.run('run', 'graph.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('"end.txt left.txt right.txt\\n"');
    const runId = await machines.onlyRun();
    expect(machines.refs().filter((ref) => /kept|isolated/.test(ref))).toEqual([]);
    expect(machines.file(runId, 'end.txt')).toBe('l\nr\n');
  }, 120_000);

  it('isolated work inside isolated work starts with its files, and is merged into them', async () => {
    const machines = await team({
      'nested.yaml': `name: nested
steps:
  - name: Outer
    isolate: worktree
    for_each:
      items: [a, b]
      max_parallel: 2
      steps:
        - { name: Write, command: [sh, -c, 'echo $1 > outer-$1.txt', sh, "\${item}"] }
        - name: Inner
          isolate: worktree
          for_each:
            items: [x, y]
            as: part
            max_parallel: 2
            steps:
              - { name: Add, command: [sh, -c, 'ls *.txt; echo $2 > inner-$1-$2.txt', sh, "\${item}", "\${part}"] }
              - { name: See, command: [sh, -c, 'echo see $1 *.txt', sh, "\${item}"] }
        - { name: Look, command: [sh, -c, 'echo look *.txt'] }
  - { name: After, command: [sh, -c, 'echo after *.txt'] }
`,
    });
    const run = await machines.run('run', 'nested.yaml', '--engine', '--trust', '--json');
    expect(run, `${run.stderr}${run.stdout}`).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('"see a inner-a-x.txt outer-a.txt\\n"');
    expect(run.stdout).toContain('"see b inner-b-y.txt outer-b.txt\\n"');
    expect(run.stdout).toContain('"look inner-a-x.txt inner-a-y.txt outer-a.txt\\n"');
    expect(run.stdout).toContain(
      '"after inner-a-x.txt inner-a-y.txt inner-b-x.txt inner-b-y.txt outer-a.txt outer-b.txt\\n"',
    );
    expect(machines.refs().filter((ref) => /kept|isolated/.test(ref))).toEqual([]);
  }, 120_000);
});
