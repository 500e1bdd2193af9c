import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../rig/example.ts';
import { isInstalled, nodeOf } from '../rig/nodes.ts';
import { Workspace } from '../rig/orchestrate.ts';

const MODULES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules');

function copied(): Workspace {
  const workspace = new Workspace();
  fs.cpSync(path.join(EXAMPLES, 'typescript'), workspace.folder, { recursive: true });
  return workspace;
}

describe('the examples in code', () => {
  it('`greetings.workflow.mjs` runs, asks and sends', async () => {
    const workspace = copied();
    expect(await workspace.run(['run', 'greetings.workflow.mjs'])).toMatchObject({ exitCode: 3 });
    await workspace.run(['approve', 'last', 'Send', '--choose', 'yes']);
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state()['output']).toEqual({ sent: 3 });
    expect(workspace.list('letters')).toEqual(['Ada.txt', 'Grace.txt', 'Katherine.txt']);
  });

  it.runIf(isInstalled('24'))('`review.workflow.ts` has no problem, with zod in the project', async () => {
    const workspace = copied();
    fs.mkdirSync(path.join(workspace.folder, 'node_modules'));
    fs.symlinkSync(path.join(MODULES, 'zod'), path.join(workspace.folder, 'node_modules', 'zod'));
    const validated = await workspace.run(['validate', 'review.workflow.ts'], { node: nodeOf('24') });
    expect(validated).toMatchObject({ exitCode: 0, stdout: 'review.workflow.ts: ok\n', stderr: '' });
  });
});
