import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ended, Workspace } from '../rig/orchestrate.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

/** A run in a workspace of a user who is not root: nothing is forbidden to root. */
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

describe('a folder of runs that may not be read', () => {
  it.each(['.orchestrate', '.orchestrate/runs'])(
    '%s is told with what can be done, by every command',
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
          stderr: `error: \`${runs}\`: permission denied (EACCES)\nhelp: it is yours: \`chmod u+rwX ${folder}\` gives permission\n`,
        });
      }
      const doctor = await orchestrate('doctor');
      expect(doctor.exitCode).toBe(1);
      expect(doctor.stdout).toContain(`\`${runs}\`: permission denied (EACCES)`);
    },
  );
});
