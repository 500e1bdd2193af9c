/** Files of runs that travel through a hub, between machines that share no folder. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam } from './git-team.ts';

const database = databaseForFile();

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
    const workers = [await machines.worker('one'), await machines.worker('two')];
    const run = await machines.run('run', 'chain.yaml', '--engine', '--trust', '--json');
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('changed\\nuntracked\\n');
    expect(run.stdout).toContain('written\\nno ignored file\\n');
    expect(machines.user.git('status', '--porcelain', '--ignored')).toBe(before);
    const runId = await machines.onlyRun();
    // What is left are the refs from which its files and logs are read.
    expect(machines.refs()).toEqual([
      ...['head', 'run/files', 'start'].map((name) => `refs/orchestrate/${runId}/${name}`),
    ]);
    const logs = machines.atHub('ls-tree', '-r', '--name-only', `refs/orchestrate/${runId}/run/files`);
    expect(logs.split('\n')).toEqual([...['logs/Read.stdout', 'logs/Use.stdout', 'logs/orchestrator.log']]);
    expect(machines.atHub('log', '--format=%an <%ae>', '-1', `refs/orchestrate/${runId}/head`)).toBe(
      'orchestrate <orchestrate@localhost>',
    );
    expect(workers.flatMap(({ machine }) => machine.checkouts())).toEqual([]);
  }, 60_000);

  it('keeps changed, deleted, binary, executable and linked files, and ignored ones that are included', async () => {
    const machines = await team(
      {
        'odd.yaml': `name: odd
steps:
  - name: Look
    command: [sh, -c, 'cat ignored/.env new.txt; ls gone.txt 2>/dev/null; test -x run.sh; readlink link; od -An -tx1 bytes.bin']
  - name: Change
    command:
      - sh
      - -c
      - |
        printf '\\000\\377\\r\\n' > made.bin
        rm kept.txt
        chmod -x run.sh
        printf '#!/bin/sh\\n' > made.sh; chmod +x made.sh
        ln -s run.sh made-link
        echo more >> ignored/.env
        echo no > ignored/other
  - name: After
    command: [sh, -c, 'cat ignored/.env; ls; od -An -tx1 made.bin; test -x made.sh; test ! -x run.sh; readlink made-link']
`,
        ...{ 'gone.txt': 'gone\n', 'kept.txt': 'kept\n', 'new.txt': 'old\n', 'run.sh': '#!/bin/sh\n' },
      },
      "include: ['ignored/.env']",
    );
    const { user } = machines;
    user.workspace.write({ 'new.txt': 'new\n', 'ignored/.env': 'A=1\n', 'ignored/other': 'x\n' });
    user.workspace.remove('gone.txt');
    const at = (name: string) => join(user.workspace.folder, name);
    fs.chmodSync(at('run.sh'), 0o755);
    fs.writeFileSync(at('bytes.bin'), Buffer.from([0, 255, 13, 10]));
    fs.symlinkSync('run.sh', at('link'));
    await machines.worker('one');
    const run = await machines.run('run', 'odd.yaml', '--engine', '--trust', '--json');
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('A=1\\nnew\\nrun.sh\\n 00 ff 0d 0a\\n');
    expect(run.stdout).toContain(
      'A=1\\nmore\\nbytes.bin\\nignored\\nlink\\nmade-link\\nmade.bin\\nmade.sh\\nnew.txt\\nodd.yaml\\nrun.sh\\n 00 ff 0d 0a\\nrun.sh\\n',
    );
  }, 60_000);

  it('fails as a conflict that names the files and can be handled; nothing is lost', async () => {
    const meeting = temporaryFolder();
    const machines = await team({
      'shared.txt': 'line\n',
      'conflict.yaml': `name: conflict
steps:
  - name: Both
    for_each:
      items: [one, two]
      max_parallel: 2
      steps:
        - name: Write
          command:
            - sh
            - -c
            - |
              touch ${meeting}/$1
              while [ ! -e ${meeting}/one ] || [ ! -e ${meeting}/two ]; do sleep 0.05; done
              echo $1 > shared.txt; echo $1 > $1.txt
            - sh
            - "\${item}"
          on: {success: {goto: _end}, failure: {goto: Handle}}
        - name: Handle
          command: [sh, -c, 'echo outcome $1; cat shared.txt; ls', sh, "\${steps.Write.outcome}"]
`,
    });
    await machines.worker('one');
    await machines.worker('two');
    const run = await machines.run('run', 'conflict.yaml', '--engine', '--trust', '--json');
    expect(run).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    const events = await machines.events(runId);
    const failed = events.flatMap(({ type, output }) => {
      const { failure } = (output ?? {}) as { readonly failure?: { readonly type: string } };
      return type === 'step-ended' && failure?.type === 'conflict' ? [failure] : [];
    });
    const ref = machines.refs().find((each) => each.includes('/kept/')) ?? '';
    const stem = ref.slice(ref.lastIndexOf('/') + 1);
    expect(failed).toEqual([
      { type: 'conflict', files: ['shared.txt'], branch: `orchestrate/${runId}+${stem}` },
    ]);
    const kept = machines.atHub('show', `${ref}:shared.txt`);
    const merged = machines.file(runId, 'shared.txt').trimEnd();
    expect([kept, merged].sort()).toEqual(['one', 'two']);
    expect(machines.files(runId)).toContain(`${merged}.txt`);
    const names = ['conflict.yaml', 'shared.txt', `${merged}.txt`].sort().join('\\n');
    expect(run.stdout).toContain(`outcome conflict\\n${merged}\\n${names}\\n`);
    // The work that conflicts is a branch of its own.
    expect(await machines.run('pull', runId, '--trust')).toMatchObject({ exitCode: 0 });
    expect(machines.user.git('show', `orchestrate/${runId}:${merged}.txt`)).toBe(merged);
    expect(machines.user.git('show', `orchestrate/${runId}+${stem}:${kept}.txt`)).toBe(kept);
  }, 60_000);

  it('merges fifty parallel items on files of their own', async () => {
    const machines = await team({
      'fifty.yaml': `name: fifty
steps:
  - name: List
    command: [seq, '50']
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: item
      max_parallel: 50
      steps:
        - name: Write
          command: [sh, -c, 'mkdir -p out; echo $1 > out/$1', sh, "\${item}"]
  - name: Count
    command: [sh, -c, 'ls out | wc -l']
`,
    });
    const settings = 'poll_ms: 100\ndead_after_sec: 30\nlabels: {default: {per_worker: 25}}\n';
    for (const name of ['one', 'two']) {
      const on = machines.machine();
      on.workspace.write({ '.orchestrate/engine.yaml': settings });
      await machines.worker(name, { on });
    }
    const run = await machines.run('run', 'fifty.yaml', '--engine', '--trust', '--json');
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatch(/"output":"50\\n"/);
  }, 600_000);
});

describe('a step that is cancelled', () => {
  it('leaves its logs, which are read from another clone, and none of its files', async () => {
    const outside = temporaryFolder();
    const machines = await team({
      'long.yaml': `name: long
steps:
  - name: Long
    command: [sh, -c, 'echo said before; echo x > made.txt; touch ${outside}/started; sleep 600']
`,
    });
    await machines.worker('one');
    const runId = await machines.detached('long.yaml');
    await until(() => fs.existsSync(join(outside, 'started')));
    expect(await machines.run('cancel', runId)).toMatchObject({ exitCode: 0 });
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and status = 'cancelled'`,
    );
    expect((await machines.run('logs', runId, 'Long')).stdout).toContain('said before');
    expect(machines.files(runId)).not.toContain('made.txt');
  }, 60_000);
});
