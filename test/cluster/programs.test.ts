/** Every program on workers: it ends, whoever is killed; what has ended is not done again; no path of a machine travels. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { agentOf, ask, READ_FILE, text } from '../converse/rig.ts';
import { countOf, until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { commandTask, task } from '../session/rig.ts';
import { Team, type TeamWorker } from './team.ts';

const database = databaseForFile();

const TASK = 'claude-iterate/workspaces/task';

/** Its first call of each number waits for the file `go-<n>`; it is complete after the second. */
const ITERATES = `cat > prompt
echo x >> calls
n=$(cat done 2> /dev/null | wc -l)
n=$((n + 1))
echo $$ >> at-$n
while [ ! -e go-$n ]; do sleep 0.05; done
echo x >> done
test $n = 2 && complete=true || complete=false
printf '{"complete": %s, "progress": {"completed": %s, "total": 2}, "summary": "item %s"}' $complete $n $n > ${TASK}/.status.json
echo item $n
`;

interface Staff {
  readonly machines: Team;
  readonly hosts: readonly TeamWorker[];
  readonly workers: readonly TeamWorker[];
}

/** Two workers that only host runs, and two that only carry out calls. */
async function staff(files: { readonly [path: string]: string }): Promise<Staff> {
  const machines = new Team(await database.create(), files);
  const [first, second, third, fourth] = await Promise.all([
    machines.worker('h1', '--labels', 'other'),
    machines.worker('h2', '--labels', 'other'),
    machines.worker('w1', '--no-runs'),
    machines.worker('w2', '--no-runs'),
  ]);
  return { machines, hosts: [first, second], workers: [third, fourth] };
}

async function killWorkerOf({ machines, workers }: Staff, key: string): Promise<void> {
  const name = await machines.workerOf(key);
  workers.find((worker) => worker.name === name)?.child.kill('SIGKILL');
}

/** And waits until another one hosts the run. */
async function killHostOf({ machines, hosts }: Staff, runId: string): Promise<void> {
  const name = await machines.hostOf(runId);
  hosts.find((host) => host.name === name)?.child.kill('SIGKILL');
  await machines.untilRow(
    `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${name}'`,
  );
}

async function detached(machines: Team, ...argv: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await machines.run(...argv, '--engine', '--detach');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  return stdout.trim();
}

async function ended(machines: Team, runId: string): Promise<string> {
  const row = await machines.untilRow(
    `select status from orchestrate.runs where run_id = '${runId}' and state in ('ended', 'waiting')`,
  );
  return String(row['status']);
}

/** The keys of all ends that are recorded. */
function endsOf(machines: Team, runId: string): readonly string[] {
  const events = machines.workspace.journal(runId) as readonly {
    readonly type: string;
    readonly key?: string;
  }[];
  return events.flatMap(({ type, key }) => (type === 'step-ended' ? [key ?? ''] : []));
}

/** Nothing that a worker gets names a folder of the machine that asks. */
async function expectNoPaths(machines: Team): Promise<void> {
  const calls = await machines.rows('select call_id, request from orchestrate.calls');
  expect(calls.length).toBeGreaterThan(0);
  for (const { request } of calls) expect(request).not.toContain(machines.workspace.folder);
}

function expectOnce(keys: readonly string[]): void {
  expect(keys.length).toBeGreaterThan(0);
  expect(keys).toEqual([...new Set(keys)]);
}

describe('a loop', () => {
  const files = {
    'agent.sh': ITERATES,
    [`${TASK}/INSTRUCTIONS.md`]: 'Do two items.\n',
  };
  const RUN = ['iterate', '--trust', 'run', 'task', '--no-delay', '--no-verify', '--agent', 'sh agent.sh'];

  async function loopStaff(): Promise<Staff> {
    const { 'agent.sh': agent, ...rest } = files;
    const people = await staff({ 'agent.sh': agent });
    expect(await people.machines.run('iterate', 'init', 'task')).toMatchObject({ exitCode: 0 });
    people.machines.workspace.write(rest);
    return people;
  }

  it('ends although a worker and its host are killed during its iterations', async () => {
    const people = await loopStaff();
    const { machines } = people;
    const { workspace } = machines;
    const runId = await detached(machines, ...RUN);
    await until(() => workspace.has('at-1'));
    await killWorkerOf(people, 'iteration/1');
    await until(() => countOf(workspace, 'at-1') === 2);
    workspace.write({ 'go-1': '' });
    await until(() => workspace.has('at-2'));
    await killHostOf(people, runId);
    workspace.write({ 'go-2': '' });
    expect(await ended(machines, runId)).toBe('completed');
    expect([countOf(workspace, 'calls'), countOf(workspace, 'at-2')]).toEqual([3, 1]);
    const metadata = JSON.parse(workspace.read(`${TASK}/.metadata.json`));
    expect(metadata).toMatchObject({ status: 'completed', totalIterations: 2, stopReason: 'complete' });
    expect(workspace.read('prompt')).toContain(`${workspace.folder}/${TASK}/.status.json`);
    expectOnce(endsOf(machines, runId));
    await expectNoPaths(machines);
  });

  it('is paused, resumed and stopped by the same commands as a local one', async () => {
    const people = await loopStaff();
    const { machines } = people;
    const { workspace } = machines;
    const runId = await detached(machines, ...RUN);
    await until(() => workspace.has('at-1'));
    expect(await machines.run('iterate', 'pause', 'task')).toMatchObject({ exitCode: 0 });
    workspace.write({ 'go-1': '' });
    expect(await ended(machines, runId)).toBe('waiting');
    const again = machines.start(RUN);
    await until(() => workspace.has('at-2'));
    expect(await machines.run('iterate', 'stop', 'task')).toMatchObject({ exitCode: 0 });
    workspace.write({ 'go-2': '' });
    expect(await again.ended).toMatchObject({ exitCode: 0 });
    expect(workspace.runs()).toEqual([runId]);
    expect([countOf(workspace, 'calls'), countOf(workspace, 'done')]).toEqual([2, 2]);
  });
});

describe('the execution of a session', () => {
  it('ends although a worker and its host are killed: each task is done once', async () => {
    const wait = (id: string): string =>
      `echo x >> ${id}; while [ ! -e go-${id} ]; do sleep 0.05; done; echo ${id} >> done`;
    const people = await staff({});
    const { machines } = people;
    const { workspace } = machines;
    expect(await machines.run('session', 'start', 'Work')).toMatchObject({ exitCode: 0 });
    const tasks = [
      commandTask('IMPL-1', wait('a')),
      commandTask('IMPL-2', wait('b'), { context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-3', { context: { depends_on: ['IMPL-2'] } }),
    ];
    for (const each of tasks)
      workspace.write({ [`.workflow/WFS-work/.task/${each['id']}.json`]: JSON.stringify(each) });
    const runId = await detached(machines, 'execute', '--trust', '--agent', 'sh -c "cat > prompt; echo {}"');
    await until(() => workspace.has('a'));
    const [call] = await machines.rows(
      'select key from orchestrate.calls where ended_at is null and executor is not null',
    );
    await killWorkerOf(people, String(call?.['key']));
    await until(() => countOf(workspace, 'a') === 2);
    workspace.write({ 'go-a': '' });
    await until(() => workspace.has('b'));
    await killHostOf(people, runId);
    workspace.write({ 'go-b': '' });
    await ended(machines, runId);
    expect(workspace.read('done')).toBe('a\nb\n');
    expect(countOf(workspace, 'b')).toBe(1);
    const status = (id: string): unknown =>
      JSON.parse(workspace.read(`.workflow/WFS-work/.task/${id}.json`)).status;
    expect(['IMPL-1', 'IMPL-2'].map(status)).toEqual(['completed', 'completed']);
    expectOnce(endsOf(machines, runId));
    await expectNoPaths(machines);
  });
});

describe('a conversation', () => {
  it('waits for a person, and ends although its host is killed during a tool', async () => {
    const says = [[ask('t1', 'look', {}), ask('t2', 'read_file', { path: 'a.txt' })], [text('Done.')]];
    const look = {
      name: 'look',
      description: 'Looks',
      command: ['sh', '-c', 'echo x >> looked; while [ ! -e go ]; do sleep 0.05; done; echo seen'],
      input_schema: { type: 'object', properties: {} },
      approve: 'always',
    };
    const people = await staff({
      'talk/a.txt': 'alpha\n',
      'talk/config/workflow.yaml': stringify({
        task: 'Do it',
        agent: agentOf(says),
        max_iterations: 5,
      }),
      'talk/config/tools.yaml': stringify({ tools: [look, READ_FILE] }),
    });
    const { machines } = people;
    const { workspace } = machines;
    const started = await machines.run('converse', 'run', 'talk', '--trust', '--engine');
    expect(started, started.stderr).toMatchObject({ exitCode: 3 });
    expect(started.stderr).toMatch(/^conversation \w+ in talk\n/);
    const [runId = ''] = workspace.runs();
    expect(await machines.run('approve', runId, '1/t1', '--choose', 'allow')).toMatchObject({ exitCode: 0 });
    await until(() => workspace.has('talk/looked'));
    await killHostOf(people, runId);
    workspace.write({ 'talk/go': '' });
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and state = 'ended' and status = 'completed'`,
    );
    expect(countOf(workspace, 'talk/looked')).toBe(1);
    const results = JSON.parse(workspace.read('talk/state/tool_results.json'));
    expect(results.results.map(({ output }: { readonly output: string }) => output)).toEqual([
      'seen\n',
      'alpha\n',
    ]);
    const [document] = workspace.list('talk/state').filter((name) => name.startsWith('sess_'));
    expect(JSON.parse(workspace.read(`talk/state/${document}`))).toMatchObject({ status: 'completed' });
    expectOnce(endsOf(machines, runId));
    await expectNoPaths(machines);
    const resumed = await machines.run('converse', 'resume', 'talk');
    expect(resumed.stderr).toContain('is already completed: nothing to do');
  });
});

describe('a workflow in code', () => {
  it('ends with its files as they were, although its host is killed and they are changed meanwhile', async () => {
    const file = (last: string): string => `import { workflow } from 'orchestrate-run';
import fs from 'node:fs';
export default workflow({ name: 'coded', async run(ctx) {
  await ctx.do('Here', () => { fs.appendFileSync('here', 'x\\n'); return 1; });
  await ctx.command('Held', ['sh', '-c', 'echo x >> held; while [ ! -e go ]; do sleep 0.05; done']);
  const { stdout } = await ctx.command('Last', ['echo', '${last}']);
  return { stdout };
} });
`;
    const people = await staff({ 'w.workflow.mjs': file('first') });
    const { machines } = people;
    const { workspace } = machines;
    const runId = await detached(machines, 'run', 'w.workflow.mjs');
    await until(() => workspace.has('held'));
    workspace.write({ 'w.workflow.mjs': file('changed') });
    await killHostOf(people, runId);
    workspace.write({ go: '' });
    expect(await ended(machines, runId)).toBe('completed');
    expect([countOf(workspace, 'here'), countOf(workspace, 'held')]).toEqual([1, 1]);
    expect(JSON.stringify(workspace.state(runId)['output'])).toContain('first');
    expectOnce(endsOf(machines, runId));
    await expectNoPaths(machines);
  });
});
