/** On a system without `/proc`, such as macOS, processes are identified by pid and the output of `ps`. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';

const SHIM = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', 'proof', 'rig', 'without-proc.cjs'],
);
const env = { NODE_OPTIONS: `--require=${SHIM}` };

/** Records whether another instance is alive when it starts; without `go` it keeps running, with a child. */
const STAY = `for pid in $(cat pids 2> /dev/null); do grep -q "State:.[^Z]" /proc/$pid/status 2> /dev/null && echo $pid >> overlap; done
[ -e go ] && exit 0
sleep 311 & echo $! >> pids
echo $$ >> pids
touch begun
wait
`;
const STEPS = {
  command: `steps:\n  - {name: Stay, command: [bash, stay.sh]}\n`,
  agent: `providers:\n  a: {command: [bash, stay.sh], input_mode: stdin}\nsteps:\n  - {name: Stay, provider: a, input_file: p.md}\n`,
};

function isAlive(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function killed(yaml: string): Promise<{ workspace: Workspace; pids: readonly number[] }> {
  const workspace = new Workspace({ 'w.yaml': yaml, 'stay.sh': STAY, 'p.md': 'Go.' });
  const run = workspace.start(['run', 'w.yaml'], { env });
  await until(() => workspace.has('begun') && started(workspace).length > 0);
  run.child.kill('SIGKILL');
  await run.ended;
  const pids = workspace.read('pids').trim().split('\n').map(Number);
  expect(pids.filter(isAlive)).toHaveLength(2);
  return { workspace, pids };
}

function started(workspace: Workspace): readonly unknown[] {
  return workspace.runs().length === 0
    ? []
    : workspace.journal().filter(({ type }) => type === 'process-started');
}

describe.runIf(process.platform === 'linux')('without `/proc`', () => {
  it.each(Object.entries(STEPS))(
    'what the killed program left running is stopped before its step runs again: %s',
    async (_, yaml) => {
      const { workspace, pids } = await killed(yaml);
      expect(started(workspace)).toEqual([
        expect.objectContaining({ startTime: expect.stringMatching(/^\w{3} \w{3} \d+ [\d:]+ \d{4}$/) }),
      ]);
      workspace.write({ go: '' });
      await workspace.run(['resume', 'last'], { env });
      expect(pids.filter(isAlive)).toEqual([]);
      expect(workspace.has('overlap')).toBe(false);
      const resumed = workspace.journal().find(({ type }) => type === 'run-resumed');
      expect(resumed).toMatchObject({ endedProcesses: expect.arrayContaining([...pids]) });
    },
  );

  it('`cancel` stops it too', async () => {
    const { workspace, pids } = await killed(STEPS.command);
    expect(await workspace.run(['cancel', 'last'], { env })).toMatchObject({ exitCode: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
