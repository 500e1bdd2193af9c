import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Elsewhere, elsewhere, isLocalDisk, whyNotElsewhere } from '../../proof/rig/elsewhere.ts';
import { type Ended, type Started, until, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const WORK = `name: work
steps:
  - {name: Wait, command: [sh, -c, "echo begun >> begun.log; until [ -e go ]; do sleep 0.05; done"]}
  - {name: After, command: [sh, -c, "echo after >> after.log"]}
`;
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';
const OTHER_MACHINE = 'f'.repeat(32);

interface Owned {
  readonly workspace: Workspace;
  readonly owner: Started;
  resume(place?: Elsewhere): Promise<Ended>;
  kill(): Promise<void>;
}

/** A run in its first step, owned by a living process. */
async function owned(place?: Elsewhere): Promise<Owned> {
  const workspace = new Workspace({ 'work.yaml': WORK });
  const scratch = temporaryFolder();
  const via = (where: Elsewhere | undefined) =>
    where === undefined ? {} : { via: elsewhere(scratch, where) };
  const owner = workspace.start(['run', 'work.yaml', '--quiet'], via(place));
  await until(() => workspace.has('begun.log'));
  return {
    workspace,
    owner,
    resume: (where) => workspace.run(['resume', 'last', '--quiet'], via(where)),
    async kill() {
      process.kill(owner.pid, 'SIGKILL');
      await owner.ended;
    },
  };
}

/** The owner's journal is intact and its run completed. */
async function expectUnharmed({ workspace, owner }: Owned): Promise<void> {
  workspace.write({ go: '' });
  expect((await owner.ended).exitCode).toBe(0);
  expect(workspace.read('begun.log')).toBe('begun\n');
  expect(workspace.read('after.log')).toBe('after\n');
  expect((await workspace.run(['doctor', 'last'])).stdout).toContain('the journal is intact');
}

async function expectResumed(run: Owned, place?: Elsewhere): Promise<void> {
  run.workspace.write({ go: '' });
  const { exitCode, stderr } = await run.resume(place);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(run.workspace.read('begun.log')).toBe('begun\nbegun\n');
}

function heldText(run: Owned, why: string): RegExp {
  const { workspace } = run;
  const runId = workspace.runs()[0];
  const lock = path.join(workspace.runFolder(), 'lock');
  const { pid, host } = JSON.parse(fs.readFileSync(lock, 'utf8'));
  const text = `error: run \`${runId}\` is being run by process ${pid} on ${host}, last seen at WHEN (cannot tell whether it is still alive: ${why})
help: if you are sure that this process has ended, remove \`${lock}\` and try again
`;
  const pattern = text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace('WHEN', '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z');
  return new RegExp(`^${pattern}$`);
}

describe.skipIf(whyNotElsewhere() !== undefined)('a living owner', () => {
  it('counts as alive if `/proc` cannot be read, with advice', async () => {
    const run = await owned();
    const refused = await run.resume({ emptyProc: true });
    expect(refused.stderr).toMatch(heldText(run, '`/proc` cannot be read here'));
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });

  it('that could not read `/proc` itself counts as alive', async () => {
    const run = await owned({ emptyProc: true });
    const refused = await run.resume();
    expect(refused.stderr).toMatch(heldText(run, 'it could not record its identity when it took the lock'));
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });

  it.each<[string, Elsewhere]>([
    ['the same host name', { bootId: OTHER_BOOT, machineId: OTHER_MACHINE, ownPids: true }],
    ['the same host name and no machine id', { bootId: OTHER_BOOT, machineId: '', ownPids: true }],
    ['the same host name and a copied machine id', { bootId: OTHER_BOOT, ownPids: true }],
  ])('is not replaced by another machine with %s', async (_, place) => {
    const run = await owned();
    const refused = await run.resume(place);
    expect(refused.stderr).toMatch(
      heldText(run, 'it ran on another machine, or on this one before a restart'),
    );
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });

  it('is not replaced by another container of its machine', async () => {
    const run = await owned({ ownPids: true });
    const refused = await run.resume({ ownPids: true });
    expect(refused.stderr).toMatch(heldText(run, 'it runs in another container or sandbox of this machine'));
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });

  it('is alive although the boot id is hidden, since its pid and start time exist', async () => {
    const run = await owned();
    const refused = await run.resume({ bootId: OTHER_BOOT });
    expect(refused.stderr).toContain(`is being run by process ${run.owner.pid}\n`);
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });

  it('is not replaced if the host name has changed', async () => {
    const run = await owned();
    const refused = await run.resume({ host: 'name-of-today' });
    expect(refused.stderr).toContain(`is being run by process ${run.owner.pid}\n`);
    expect(refused.exitCode).toBe(4);
    await expectUnharmed(run);
  });
});

describe.skipIf(whyNotElsewhere() !== undefined)('a killed owner', () => {
  it('is taken over if the host name has changed', async () => {
    const run = await owned();
    await run.kill();
    await expectResumed(run, { host: 'name-of-today' });
  });

  it.skipIf(!isLocalDisk(os.tmpdir()))('is taken over after a restart of the machine', async () => {
    const run = await owned();
    await run.kill();
    await expectResumed(run, { bootId: OTHER_BOOT });
  });

  it('is not taken over from another machine until its lock is removed', async () => {
    const run = await owned();
    await run.kill();
    const place = { bootId: OTHER_BOOT, machineId: OTHER_MACHINE };
    const refused = await run.resume(place);
    expect(refused.stderr).toMatch(
      heldText(run, 'it ran on another machine, or on this one before a restart'),
    );
    expect(refused.exitCode).toBe(4);
    fs.rmSync(path.join(run.workspace.runFolder(), 'lock'));
    await expectResumed(run, place);
  });
});
