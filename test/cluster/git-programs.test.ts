/** Every program on machines that share no folder: its documents travel like other files, whoever is killed. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { agentOf, ask, READ_FILE, text } from '../converse/rig.ts';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { commandTask, task } from '../session/rig.ts';
import { GitTeam, type GitWorker } from './git-team.ts';

const database = databaseForFile();

const TASK = 'claude-iterate/workspaces/task';

/** A folder outside of all machines, in which steps count their starts and wait. */
class Outside {
  readonly folder = temporaryFolder();

  /** A command that counts a start, and waits to be let go. */
  held(name: string): string {
    return `echo x >> ${this.folder}/${name}; while [ ! -e ${this.folder}/go-${name} ]; do sleep 0.05; done`;
  }

  starts(name: string): number {
    const path = join(this.folder, name);
    return fs.existsSync(path) ? fs.readFileSync(path, 'utf8').length / 2 : 0;
  }

  go(name: string): void {
    fs.writeFileSync(join(this.folder, `go-${name}`), '');
  }
}

interface Staff {
  readonly machines: GitTeam;
  readonly hosts: readonly GitWorker[];
  readonly workers: readonly GitWorker[];
}

/** Two machines that only host runs, and two that only carry out calls. */
async function staff(machines: GitTeam): Promise<Staff> {
  const [first, second, third, fourth] = await Promise.all([
    machines.worker('h1', { flags: ['--labels', 'other'] }),
    machines.worker('h2', { flags: ['--labels', 'other'] }),
    machines.worker('w1', { flags: ['--no-runs'] }),
    machines.worker('w2', { flags: ['--no-runs'] }),
  ]);
  return { machines, hosts: [first, second], workers: [third, fourth] };
}

/** The machine of the only call that is being carried out. */
async function killWorker({ machines, workers }: Staff): Promise<void> {
  const row = await machines.untilRow(
    `select name from orchestrate.calls c join orchestrate.workers w on w.executor = c.executor
     where c.started_at is not null and c.ended_at is null`,
  );
  workers.find(({ name }) => name === row['name'])?.child.kill('SIGKILL');
}

/** And waits until another one hosts the run. */
async function killHost({ machines, hosts }: Staff, runId: string): Promise<void> {
  const name = await machines.hostOf(runId);
  hosts.find((host) => host.name === name)?.child.kill('SIGKILL');
  await machines.untilRow(
    `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${name}'`,
  );
}

async function detached(machines: GitTeam, ...argv: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await machines.run(...argv, '--engine', '--detach');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  return stdout.trim();
}

async function expectEndsOnce(machines: GitTeam, runId: string): Promise<void> {
  const ends = (await machines.events(runId)).filter(({ type }) => type === 'step-ended');
  const keys = ends.map(({ key }) => String(key));
  expect(keys.length).toBeGreaterThan(0);
  expect(keys).toEqual([...new Set(keys)]);
}

/** No lock of a process, no path of the machine that started the run. */
async function expectClean(machines: GitTeam, runId: string): Promise<void> {
  expect(machines.files(runId).filter((path) => path.endsWith('lock'))).toEqual([]);
  const calls = await machines.rows('select request from orchestrate.calls');
  expect(calls.length).toBeGreaterThan(0);
  for (const { request } of calls) expect(request).not.toContain(machines.user.workspace.folder);
}

/** The user's folder has what the run left, and nothing of its own is lost. */
async function pulled(machines: GitTeam, runId: string): Promise<void> {
  const pull = await machines.run('pull', runId, '--merge', '--trust');
  expect(pull, pull.stderr).toMatchObject({ exitCode: 0 });
}

describe('a loop with a hub', () => {
  const RUN = ['iterate', '--trust', 'run', 'task', '--no-delay', '--no-verify', '--agent', 'sh agent.sh'];

  /** Iteration n waits for `n`; the second completes the task. */
  async function loop(outside: Outside, ignored = ''): Promise<GitTeam> {
    const machines = new GitTeam(await database.create(), {
      'agent.sh': `cat > prompt
n=$(cat done 2> /dev/null | wc -l)
n=$((n + 1))
echo x >> ${outside.folder}/$n
while [ ! -e ${outside.folder}/go-$n ]; do sleep 0.05; done
echo item $n >> done
test $n = 2 && complete=true || complete=false
printf '{"complete": %s, "progress": {"completed": %s, "total": 2}, "summary": "item %s"}' $complete $n $n > ${TASK}/.status.json
echo item $n
`,
    });
    const { workspace } = machines.user;
    expect(await machines.run('iterate', 'init', 'task')).toMatchObject({ exitCode: 0 });
    workspace.write({
      [`${TASK}/INSTRUCTIONS.md`]: 'Do two items.\n',
      '.gitignore': `.orchestrate/\n${ignored}`,
    });
    return machines;
  }

  it('ends although a worker and its host are killed during its iterations, and its documents are pulled', async () => {
    const outside = new Outside();
    const machines = await loop(outside);
    const people = await staff(machines);
    const runId = await detached(machines, ...RUN);
    await until(() => outside.starts('1') === 1);
    await killWorker(people);
    await until(() => outside.starts('1') === 2);
    outside.go('1');
    await until(() => outside.starts('2') === 1);
    await killHost(people, runId);
    outside.go('2');
    expect(await machines.ended(runId)).toBe('completed');
    expect([outside.starts('1'), outside.starts('2')]).toEqual([2, 1]);
    expect(machines.file(runId, 'done')).toBe('item 1\nitem 2\n');
    await expectEndsOnce(machines, runId);
    await expectClean(machines, runId);
    const { workspace } = machines.user;
    expect(workspace.has('done')).toBe(false);
    await pulled(machines, runId);
    expect(JSON.parse(workspace.read(`${TASK}/.metadata.json`))).toMatchObject({
      ...{ status: 'completed', totalIterations: 2, stopReason: 'complete' },
    });
    expect(JSON.parse(workspace.read(`${TASK}/.status.json`))).toMatchObject({ complete: true });
    const [log = ''] = workspace.list(TASK).filter((name) => name.startsWith('iterate-'));
    expect(workspace.read(`${TASK}/${log}`)).toContain('Do two items.');
    const again = await machines.run('iterate', 'show', 'task');
    expect(again.stdout).toMatch(/completed/i);
  }, 120_000);

  it('travels although git ignores its folder; a second run of it is refused until it has ended, also in another clone', async () => {
    const outside = new Outside();
    const machines = await loop(outside, 'claude-iterate/\n');
    await machines.worker('one');
    const runId = await detached(machines, ...RUN);
    await until(() => outside.starts('1') === 1);
    const clone = machines.machine();
    fs.cpSync(machines.user.workspace.folder, clone.workspace.folder, { recursive: true });
    for (const from of [machines.user, clone]) {
      const second = await from.run(...RUN, '--engine', '--detach');
      expect(second).toMatchObject({ exitCode: 1, stdout: '' });
      expect(second.stderr).toContain(`run \`${runId}\` is working on \`${TASK}\``);
    }
    const refs = machines.refs().filter((ref) => !ref.includes(runId));
    expect(refs).toEqual([]);
    outside.go('1');
    outside.go('2');
    expect(await machines.ended(runId)).toBe('completed');
    expect(machines.files(runId)).toContain(`${TASK}/.metadata.json`);
    expect(JSON.parse(machines.file(runId, `${TASK}/.status.json`))).toMatchObject({ complete: true });
    await pulled(machines, runId);
    const metadata = JSON.parse(machines.user.workspace.read(`${TASK}/.metadata.json`));
    expect(metadata).toMatchObject({ status: 'completed' });
    const third = await detached(machines, ...RUN);
    await until(() => outside.starts('3') === 1);
    expect(await machines.run('cancel', third)).toMatchObject({ exitCode: 0 });
    expect(await machines.ended(third)).toBe('cancelled');
  }, 120_000);

  it('is refused if it would commit to branches of the user, or if its folder is outside the workspace', async () => {
    const machines = await loop(new Outside());
    const commits = await machines.run(...RUN, '--checkpoint', '--engine', '--detach');
    expect(commits).toMatchObject({ exitCode: 1, stdout: '' });
    expect(commits.stderr).toContain('`--checkpoint` cannot be used with a hub');
    const elsewhere = temporaryFolder();
    const at = ['--workspaces-dir', elsewhere];
    expect(await machines.run('iterate', ...at, 'init', 'far')).toMatchObject({ exitCode: 0 });
    fs.writeFileSync(join(elsewhere, 'far/INSTRUCTIONS.md'), 'Do it.\n');
    const far = await machines.run(
      'iterate',
      ...at,
      '--trust',
      'run',
      'far',
      '--agent',
      'sh agent.sh',
      '--engine',
    );
    expect(far).toMatchObject({ exitCode: 1 });
    expect(far.stderr).toContain('is outside the workspace');
    expect(machines.refs()).toEqual([]);
  }, 60_000);
});

describe('the execution of a session with a hub', () => {
  it('ends although a worker and its host are killed: each task is done once, and its documents are pulled', async () => {
    const outside = new Outside();
    const machines = new GitTeam(await database.create(), {});
    const { workspace } = machines.user;
    expect(await machines.run('session', 'start', 'Work')).toMatchObject({ exitCode: 0 });
    workspace.write({ '.gitignore': '.orchestrate/\n.workflow/\n' });
    const tasks = [
      commandTask('IMPL-1', `${outside.held('a')}; echo a >> done`),
      commandTask('IMPL-2', `${outside.held('b')}; echo b >> done`, { context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-3', { context: { depends_on: ['IMPL-2'] } }),
    ];
    for (const each of tasks)
      workspace.write({ [`.workflow/WFS-work/.task/${each['id']}.json`]: JSON.stringify(each) });
    const people = await staff(machines);
    const runId = await detached(machines, 'execute', '--trust', '--agent', 'sh -c "cat > prompt; echo {}"');
    await until(() => outside.starts('a') === 1);
    await killWorker(people);
    await until(() => outside.starts('a') === 2);
    outside.go('a');
    await until(() => outside.starts('b') === 1);
    await killHost(people, runId);
    outside.go('b');
    await machines.ended(runId);
    expect(machines.file(runId, 'done')).toBe('a\nb\n');
    expect(outside.starts('b')).toBe(1);
    await expectEndsOnce(machines, runId);
    await expectClean(machines, runId);
    await pulled(machines, runId);
    const status = (id: string): unknown =>
      JSON.parse(workspace.read(`.workflow/WFS-work/.task/${id}.json`)).status;
    expect(['IMPL-1', 'IMPL-2'].map(status)).toEqual(['completed', 'completed']);
    expect(workspace.read('.workflow/WFS-work/TODO_LIST.md')).toContain('- [x]');
  }, 120_000);
});

describe('a conversation with a hub', () => {
  it('waits for a person, and ends although its host is killed during a tool', async () => {
    const outside = new Outside();
    const says = [[ask('t1', 'look', {}), ask('t2', 'read_file', { path: 'a.txt' })], [text('Done.')]];
    const look = {
      name: 'look',
      description: 'Looks',
      command: ['sh', '-c', `${outside.held('look')}; echo seen`],
      input_schema: { type: 'object', properties: {} },
      approve: 'always',
    };
    const machines = new GitTeam(await database.create(), {
      'talk/a.txt': 'alpha\n',
      'talk/config/workflow.yaml': stringify({ task: 'Do it', agent: agentOf(says), max_iterations: 5 }),
      'talk/config/tools.yaml': stringify({ tools: [look, READ_FILE] }),
    });
    const people = await staff(machines);
    const started = await machines.run('converse', 'run', 'talk', '--trust', '--engine');
    expect(started, started.stderr).toMatchObject({ exitCode: 3 });
    const runId = await machines.onlyRun();
    expect(await machines.run('approve', runId, '1/t1', '--choose', 'allow')).toMatchObject({ exitCode: 0 });
    await until(() => outside.starts('look') === 1);
    await killHost(people, runId);
    outside.go('look');
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and state = 'ended' and status = 'completed'`,
    );
    expect(outside.starts('look')).toBe(1);
    await expectEndsOnce(machines, runId);
    await expectClean(machines, runId);
    await pulled(machines, runId);
    const { workspace } = machines.user;
    const results = JSON.parse(workspace.read('talk/state/tool_results.json'));
    expect(results.results.map(({ output }: { readonly output: string }) => output)).toEqual([
      'seen\n',
      'alpha\n',
    ]);
    const [document] = workspace.list('talk/state').filter((name) => name.startsWith('sess_'));
    expect(JSON.parse(workspace.read(`talk/state/${document}`))).toMatchObject({ status: 'completed' });
  }, 120_000);
});

describe('a workflow in code with a hub', () => {
  it('ends with its files as they were, although a step changes them and its host is killed', async () => {
    const outside = new Outside();
    const machines = new GitTeam(await database.create(), {
      'w.workflow.mjs': `import { workflow } from 'orchestrate-run';
import { word } from './word.mjs';
export default workflow({ name: 'coded', async run(ctx) {
  await ctx.do('Here', () => word);
  await ctx.command('Change', ['sh', '-c', 'echo "export const word = 2;" > word.mjs']);
  await ctx.command('Held', ['sh', '-c', ${JSON.stringify(outside.held('held'))}]);
  const { stdout } = await ctx.command('Last', ['sh', '-c', 'cat word.mjs; echo ' + word]);
  return { stdout };
} });
`,
      'word.mjs': 'export const word = 1;\n',
    });
    const people = await staff(machines);
    const runId = await detached(machines, 'run', 'w.workflow.mjs', '--trust');
    await until(() => outside.starts('held') === 1);
    await killHost(people, runId);
    outside.go('held');
    expect(await machines.ended(runId)).toBe('completed');
    expect(outside.starts('held')).toBe(1);
    const [end] = (await machines.events(runId)).filter(({ type }) => type === 'run-ended');
    expect(JSON.stringify(end?.['output'])).toContain('export const word = 2;\\n1');
    await expectEndsOnce(machines, runId);
    await expectClean(machines, runId);
  }, 120_000);
});

describe('phases with a hub', () => {
  it('are worked through on another machine, and their document is pulled', async () => {
    const machines = new GitTeam(await database.create(), {});
    const { workspace } = machines.user;
    const created = await machines.run('phases', 'create', 'Ship', '--phase', 'Plan', '--phase', 'Build');
    expect(created, created.stderr).toMatchObject({ exitCode: 0 });
    workspace.write({ '.gitignore': '.orchestrate/\n.claude/\n' });
    await machines.worker('one');
    const answer = '{"status":"completed","deliverables":[],"context_for_next":"","error":""}';
    workspace.write({ 'agent.sh': `cat >> prompts\necho '${answer}'\n` });
    const agent = 'sh agent.sh';
    const run = await machines.run('phases', 'run', '--trust', '--agent', agent, '--engine');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    await expectClean(machines, runId);
    await pulled(machines, runId);
    const { phases } = JSON.parse(workspace.read('.claude/state/workflow.json'));
    expect(phases.map(({ status }: { readonly status: string }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  }, 120_000);
});
