/** A program of a user, with the package as it was built. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { BINARY, type Workspace } from '../rig/orchestrate.ts';

const dist = (name: string): string =>
  pathToFileURL(path.join(path.dirname(BINARY), '..', 'dist', name)).href;

/** `text` is the body of an async function; what it returns is printed and parsed. Anything else that is printed fails the test. */
export function runProgram<Value>(
  workspace: Workspace,
  program: { readonly before?: string; readonly text: string; readonly after?: string },
): Value {
  workspace.write({
    'program.mjs': `
import { createOrchestrator, effect, OrchestrateError, StepFailed, workflow } from '${dist('sdk.mjs')}';
import { testWorkflow } from '${dist('testing.mjs')}';
${program.before ?? ''}
const returned = await (async () => {${program.text}})();
${program.after ?? ''}
console.log(JSON.stringify(returned));
`,
  });
  const ran = spawnSync(process.execPath, ['program.mjs'], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: workspace.folder, TMPDIR: workspace.folder },
  });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout.split('\n')).toHaveLength(2);
  return JSON.parse(ran.stdout);
}
