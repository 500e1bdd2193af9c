/** What other commands see of a run that is just starting, or was killed while starting. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateAt } from '../rig/gate-at.ts';
import { killAt } from '../rig/kill-at.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const RUN = ['run', 'work.yaml', '--quiet'];
const FORK = ['fork', 'last', '--from', 'A', '--quiet'];

interface Operation {
  readonly name: string;
  readonly number: number;
  readonly path: string;
}

/** A workspace with one completed run. */
async function workspaceWithRun(): Promise<Workspace> {
  const workspace = new Workspace({
    'work.yaml': 'name: work\nsteps: [{name: A, command: [sh, -c, "echo ran >> ran.log"]}]\n',
  });
  expect((await workspace.run(RUN)).exitCode).toBe(0);
  return workspace;
}

/** The writes of a start, up to the first record of its journal. */
async function operationsOf(argv: readonly string[]): Promise<readonly Operation[]> {
  const trace = path.join(temporaryFolder(), 'trace');
  const workspace = await workspaceWithRun();
  await workspace.run(argv, { env: killAt({ trace }) });
  const lines = fs.readFileSync(trace, 'utf8').trim().split('\n');
  const all = lines.map((line): Operation => JSON.parse(line));
  return all.slice(
    0,
    all.findIndex(({ path: place }) => place.endsWith('orchestrator.log')),
  );
}

function namesOfRuns(workspace: Workspace): readonly string[] {
  return fs.readdirSync(path.join(workspace.folder, '.orchestrate/runs')).sort();
}

describe.each([
  ['run', RUN],
  ['fork', FORK],
])('a %s that is killed while its folder is created', (_, argv) => {
  it('leaves no run, or one that can be resumed', { timeout: 60_000 }, async () => {
    const operations = await operationsOf(argv);
    expect(operations.length).toBeGreaterThan(8);
    const workspace = await workspaceWithRun();
    const [first = ''] = workspace.runs();
    for (const { name, number } of operations) {
      const order = { when: 'before', name, number } as const;
      expect((await workspace.run(argv, { env: killAt(order) })).signal).toBe('SIGKILL');
      const begun = workspace.runs().filter((runId) => runId !== first);
      const shown = await workspace.run(['show', 'last']);
      expect(shown.stdout, `${name} ${number}`).toMatch(
        begun.length === 0 ? `${first}  completed` : `${begun[0]}  interrupted`,
      );
      expect(shown.stderr).toBe('');
      if (begun.length > 0) expect((await workspace.run(['resume', 'last', '--quiet'])).exitCode).toBe(0);
      for (const other of namesOfRuns(workspace).filter((one) => one !== first))
        workspace.remove(`.orchestrate/runs/${other}`);
    }
  });

  it('leaves nothing that the next start does not remove', async () => {
    const workspace = await workspaceWithRun();
    const killed = killAt({ when: 'before', kind: 'create', file: 'journal.jsonl', number: 1 });
    expect((await workspace.run(argv, { env: killed })).signal).toBe('SIGKILL');
    expect(namesOfRuns(workspace)).toHaveLength(2);
    expect((await workspace.run(RUN)).exitCode).toBe(0);
    expect(namesOfRuns(workspace)).toHaveLength(2);
    expect(namesOfRuns(workspace)).toEqual(workspace.runs());
  });
});

it('a run that is just starting is removed neither by `clean` nor by the next start', async () => {
  const workspace = await workspaceWithRun();
  const gate = gateAt({ kind: 'link', file: '/lock' });
  const beginning = workspace.start(RUN, { env: gate.env });
  await gate.reached();
  const cleaned = await workspace.run(['clean', '--force', '--older-than', '0m', '--status', 'damaged']);
  expect(cleaned.stderr).toBe('nothing to remove\n');
  expect((await workspace.run(RUN)).exitCode).toBe(0);
  gate.open();
  expect(await beginning.ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(workspace.runs()).toHaveLength(3);
  expect(namesOfRuns(workspace)).toEqual(workspace.runs());
});
