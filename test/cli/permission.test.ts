import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ended, until, Workspace } from '../rig/orchestrate.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

/** A run in a workspace of a non-root user, since root may read everything. */
async function workspaceWithRun(): Promise<{
  workspace: Workspace;
  orchestrate(...argv: string[]): Promise<Ended>;
}> {
  const workspace = new Workspace({ 'w.yaml': 'steps: [{name: A, command: ["true"]}]\n' });
  if (isRoot) fs.chownSync(workspace.folder, NOBODY, NOBODY);
  const orchestrate = (...argv: string[]) => workspace.run(argv, isRoot ? { uid: NOBODY } : {});
  expect(await orchestrate('run', 'w.yaml')).toMatchObject({ exitCode: 0 });
  return { workspace, orchestrate };
}

function close(folder: string): void {
  fs.chmodSync(folder, 0);
  onTestFinished(() => fs.chmodSync(folder, 0o700));
}

describe('an unreadable folder of runs', () => {
  it.each(['.orchestrate', '.orchestrate/runs'])(
    '%s is reported by every command, with advice',
    async (name) => {
      const { workspace, orchestrate } = await workspaceWithRun();
      const [runId = ''] = workspace.runs();
      const folder = path.join(workspace.folder, name);
      close(folder);
      const runs = path.join(workspace.folder, '.orchestrate', 'runs');
      for (const argv of [
        ['run', 'w.yaml'],
        ['runs'],
        ['show', 'last'],
        ['resume', runId],
        ['logs', runId],
        ['cancel', runId],
      ]) {
        expect(await orchestrate(...argv)).toMatchObject({
          exitCode: 1,
          stderr: `error: \`${runs}\`: permission denied (EACCES)\nhelp: it is yours: \`chmod u+rwX ${folder}\` grants permission\n`,
        });
      }
      const doctor = await orchestrate('doctor');
      expect(doctor.exitCode).toBe(1);
      expect(doctor.stdout).toContain(`\`${runs}\`: permission denied (EACCES)`);
    },
  );
});

describe('a folder of `PATH` that the user may not enter', () => {
  it.each([1, 2])('does not hide that a program does not exist (%i at once)', async (max_parallel) => {
    const hidden = new Workspace({ 'bin/anything': '#!/bin/sh\n' });
    const steps = [{ name: 'Call', command: ['no-such-program-here'], retries: 0 }];
    const items = [1, 2].slice(0, max_parallel);
    const each = { name: 'Each', for_each: { items, max_parallel, steps } };
    const workspace = new Workspace({ 'w.yaml': JSON.stringify({ steps: [each] }) });
    if (isRoot) fs.chownSync(workspace.folder, NOBODY, NOBODY);
    close(path.join(hidden.folder, 'bin'));
    const env = { PATH: `${process.env['PATH']}:${hidden.folder}/bin` };
    const ended = await workspace.run(['run', 'w.yaml'], { env, ...(isRoot ? { uid: NOBODY } : {}) });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('\n  Each/0/Call [1]: `no-such-program-here` not found on PATH\n');
  });
});

describe('a run of another user', () => {
  it.runIf(isRoot)('is not cancelled, and not reported as ended', async () => {
    const workspace = new Workspace({
      'w.yaml': 'steps: [{name: A, command: [bash, -c, "touch begun; sleep 60"]}]\n',
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(
      () => workspace.has('begun') && fs.existsSync(path.join(workspace.runFolder(), 'state.json')),
    );
    const [runId = ''] = workspace.runs();
    const folder = workspace.runFolder();
    for (const place of [workspace.folder, path.dirname(path.dirname(folder)), path.dirname(folder), folder])
      fs.chmodSync(place, 0o755);
    for (const name of ['journal.jsonl', 'lock']) fs.chmodSync(path.join(folder, name), 0o644);
    const before = fs.readdirSync(folder);
    expect(await workspace.run(['cancel', 'last'], { uid: NOBODY })).toMatchObject({
      exitCode: 4,
      stderr: `error: run \`${runId}\` is being run by process ${run.pid} of another user, which you are not allowed to signal\nhelp: cancel it as that user\n`,
    });
    expect(fs.readdirSync(folder)).toEqual(before);
    expect(await workspace.run(['cancel', 'last'])).toMatchObject({ exitCode: 0 });
    expect(await run.ended).toMatchObject({ exitCode: 1 });
  });
});
