import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

it('a run records its start, its end, and three events for each command', async () => {
  const workspace = new Workspace({ 'w.yaml': 'steps:\n  - {name: A, command: ["true"]}\n' });
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  const lines = fs
    .readFileSync(path.join(workspace.runFolder(), 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.slice(1).map((line) => JSON.parse(line).type)).toEqual([
    ...['run-started', 'step-started', 'process-started', 'step-ended', 'run-ended'],
  ]);
});
