/** Runs that older versions have started. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const KEPT = path.join(import.meta.dirname, '../journals/flow-version-1.jsonl');
const WORKFLOW = `name: flow
steps:
  - {name: A, command: [sh, -c, "echo A >> ran"]}
  - name: G
    graph:
      max_parallel: 2
      steps:
        - {name: X, command: [sh, -c, "echo X >> ran"]}
        - {name: Y, needs: [X], command: [sh, -c, "echo Y >> ran"]}
        - {name: Q, needs: [X], approve: {message: "go?", choices: [yes, no]}}
        - {name: Z, needs: [Y, Q], command: [sh, -c, "echo Z >> ran"]}
  - name: M
    for_each:
      matrix: {os: [l, m], n: [1, 2]}
      max_parallel: 2
      steps:
        - {name: C, command: [sh, -c, "echo M >> ran"]}
        - {name: D, approve: {message: "item?", choices: [ok]}}
finally:
  - {name: F, command: [sh, -c, "echo F >> ran"]}
`;

it('a waiting graph of an older version is shown, answered and resumed, and repeats nothing', async () => {
  const runId = '20261118T045431Z-f3h81o';
  const workspace = new Workspace({
    [`.orchestrate/runs/${runId}/journal.jsonl`]: fs.readFileSync(KEPT, 'utf8'),
    'w.yaml': WORKFLOW,
  });
  expect((await workspace.run(['runs'])).stdout).toContain(`${runId}  waiting `);
  expect((await workspace.run(['approve', 'last', 'Q', '--choose', 'yes'])).exitCode).toBe(0);
  expect((await workspace.run(['resume', 'last', '--trust', '--quiet'])).exitCode).toBe(3);
  for (const items of [
    [0, 1],
    [2, 3],
  ]) {
    for (const item of items)
      expect((await workspace.run(['approve', 'last', `M/${item}/D`, '--choose', 'ok'])).exitCode).toBe(0);
    await workspace.run(['resume', 'last', '--quiet']);
  }
  expect(workspace.state()).toMatchObject({ status: 'completed' });
  // A, X and Y were done by the older version; it ran no `finally`, since the run only waited.
  expect(workspace.read('ran').trim().split('\n').sort()).toEqual(['F', 'M', 'M', 'M', 'M', 'Z']);
});
