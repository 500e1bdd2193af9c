/** A run that is killed after every record of its journal ends as if nothing had happened. */
import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { isInstalled, NODE_VERSIONS, nodeOf } from '../rig/nodes.ts';
import type { Workspace } from '../rig/orchestrate.ts';
import { codeWorkspace, LIST, REVIEW, REVIEWED } from './workflows.ts';

/** Loaded natively, with its types removed. */
const canStrip = (version: string) => Number(version) >= 22;

const COUNTS = ['Changes', 'Note-a.ts', 'Note-b.ts', 'Echo', 'Publish'];

function countsIn(workspace: Workspace): readonly number[] {
  return COUNTS.map((name) =>
    workspace.has(`counts-${name}`) ? workspace.read(`counts-${name}`).length / 2 : 0,
  );
}

describe.each(NODE_VERSIONS.filter(isInstalled))('on Node %s', (version) => {
  it('repeats at most what was running, and gives the same output', { timeout: 600_000 }, async () => {
    const file = canStrip(version) ? 'w.workflow.ts' : 'w.workflow.mjs';
    const node = nodeOf(version);
    const fresh = () => {
      const workspace = codeWorkspace(REVIEW, LIST);
      const text = workspace.read('w.workflow.mjs');
      if (canStrip(version))
        workspace.write({
          [file]: text.replace('const { lines }', 'const { lines }: { lines: readonly string[] }'),
        });
      return workspace;
    };
    const whole = fresh();
    expect(await whole.run(['run', file], { node })).toMatchObject({ exitCode: 0 });
    const records = whole.journal().length;
    expect(records).toBeGreaterThan(30);
    for (let line = 2; line < records; line += 1) {
      const workspace = fresh();
      const env = killAt({ when: 'after', kind: 'write', file: 'journal.jsonl', number: line });
      const killed = await workspace.run(['run', file], { env, node });
      if (killed.signal !== 'SIGKILL') {
        expect(killed).toMatchObject({ exitCode: 0 });
        continue;
      }
      const running = startedAndNotEnded(workspace);
      const resumed = await workspace.run(['resume', 'last'], { node });
      expect(resumed, `line ${line}: ${resumed.stderr}`).toMatchObject({ exitCode: 0 });
      expect(workspace.state()['output'], `line ${line}`).toEqual(REVIEWED);
      const counts = countsIn(workspace);
      for (const [index, name] of COUNTS.entries())
        expect(counts[index], `${name} after a kill at line ${line}`).toBeLessThanOrEqual(
          running.has(name) ? 2 : 1,
        );
    }
  });
});

function startedAndNotEnded(workspace: Workspace): ReadonlySet<string> {
  const names: { readonly [key: string]: string } = {
    Changes: 'Changes',
    'Review/0/Note': 'Note-a.ts',
    'Review/1/Note': 'Note-b.ts',
    'Both/b/Echo': 'Echo',
    Publish: 'Publish',
  };
  const open = new Set<string>();
  for (const { type, key = '' } of workspace.journal() as readonly { type: string; key?: string }[]) {
    if (type === 'step-started') open.add(names[key] ?? key);
    if (type === 'step-ended') open.delete(names[key] ?? key);
  }
  return open;
}
