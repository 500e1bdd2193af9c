/** The guarantee: whenever the program is killed, resuming leads to the same end, and no completed work is repeated. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import {
  expectSameEnd,
  inFlight,
  type Kill,
  killedAt,
  killedAtEveryLine,
  note,
  undisturbed,
  workspaceWith,
} from './killing.ts';
import { markedProcesses } from './runs.ts';

const WORKFLOW = `steps:
  - ${note('First')}
  - {name: Flaky, command: [bash, -c, "bash note.sh; test -e flaky || { touch flaky; exit 1; }"], retries: {max: 1, delay_ms: 0}}
  - {name: List, command: [bash, -c, "bash note.sh > /dev/null; printf 'inbox/a\\\\ninbox/b\\\\n'"], output_capture: lines}
  - name: InTurn
    for_each:
      items_from: steps.List.lines
      on_item_complete: {success: {move_to: done}}
      steps:
        - ${note('Work', '${item}')}
        - ${note('More', '${loop.index}')}
  - name: AtOnce
    for_each: {items: [p, q, r], max_parallel: 3, steps: [${note('Side', '${item}')}]}
  - {name: Tick, command: [bash, -c, "bash note.sh; case $ORCHESTRATE_STEP in Tick#2) exit 0;; esac; exit 1"], on: {failure: {goto: Tick}}}
  - name: Both
    parallel:
      branches:
        - {name: left, steps: [${note('L1')}, ${note('L2', '${steps.L1.output}')}]}
        - {name: right, steps: [${note('R1')}]}
  - name: Again
    repeat:
      until: {equals: {left: "\${iteration}", right: "1"}}
      delay_sec: 0.01
      steps: [${note('Turn', '${iteration}')}]
  - ${note('Last', '${steps.Turn.output}${steps.L2.output}')}
finally:
  - ${note('Tidy')}
`;

describe('a killed run', () => {
  it('at any line of its journal, before, after or within it, is resumed to the same end', {
    timeout: 240_000,
  }, async () => {
    await killedAtEveryLine(WORKFLOW);
  });

  it('repeatedly, after every few lines, is resumed to the same end', { timeout: 120_000 }, async () => {
    const expected = await undisturbed(WORKFLOW);
    const workspace = workspaceWith(WORKFLOW);
    const kills = Array.from({ length: 200 }, (_, index): Kill => ({ line: 6 + (index % 5), mode: 'after' }));
    const interrupted = await killedAt(workspace, kills);
    expectSameEnd(workspace, expected, interrupted);
    const resumed = workspace.journal().filter(({ type }) => type === 'run-resumed');
    expect(resumed.length).toBeGreaterThan(10);
  });

  it('at random moments is resumed to the same end', { timeout: 120_000 }, async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
    let state = seed;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    const expected = await undisturbed(WORKFLOW);
    const workspace = workspaceWith(WORKFLOW);
    const interrupted = new Set<string>();
    const began = performance.now();
    const first = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.runs().length > 0 && workspace.journal().length > 0);
    const wholeMs = performance.now() - began;
    for (let run = first; ; run = workspace.start(['resume', 'last'])) {
      const kill = setTimeout(() => run.child.kill('SIGKILL'), random() * wholeMs * 2);
      const { exitCode, signal } = await run.ended;
      clearTimeout(kill);
      if (signal !== 'SIGKILL') {
        expect(exitCode, `seed ${seed}`).toBe(0);
        break;
      }
      for (const key of inFlight(workspace)) interrupted.add(key);
    }
    try {
      expectSameEnd(workspace, expected, interrupted);
    } catch (problem) {
      throw new Error(`with SEED=${seed}`, { cause: problem });
    }
  });

  it('leaves an agent running, which is found and stopped with everything it started before its step runs again', async () => {
    const workspace = new Workspace({
      'p.md': 'Go.',
      'agent.sh': `cat > /dev/null
[ -e go ] && is_second=yes
for pid in $(cat pids 2> /dev/null); do grep -q "State:.[^Z]" /proc/$pid/status 2> /dev/null && echo $pid >> overlap; done
setsid bash -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.05; done' &
echo $$ >> pids
while [ "$(wc -l < pids)" -lt 2 ]; do sleep 0.01; done
touch begun
[ -n "$is_second" ] && { kill -9 $!; echo finished; exit 0; }
while :; do sleep 0.05; done
`,
      'w.yaml': `providers:
  agent: {command: [bash, agent.sh], input_mode: stdin}
steps:
  - {name: Before, command: [bash, -c, "echo x >> before"]}
  - {name: Ask, provider: agent, input_file: p.md}
`,
    });
    const run = workspace.start(['run', 'w.yaml']);
    await until(() => workspace.has('begun'));
    run.child.kill('SIGKILL');
    await run.ended;
    const [runId = ''] = workspace.runs();
    const orphans = workspace.read('pids').trim().split('\n').map(Number);
    expect(orphans).toHaveLength(2);
    for (const pid of orphans) expect(fs.existsSync(`/proc/${pid}`)).toBe(true);

    workspace.write({ go: '' });
    expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(workspace.has('overlap')).toBe(false);
    expect(markedProcesses(runId)).toEqual([]);
    const resumed = workspace.journal().find(({ type }) => type === 'run-resumed') as {
      readonly tookOver?: { readonly pid: number };
      readonly endedProcesses?: readonly number[];
    };
    expect(resumed.tookOver?.pid).toBe(run.pid);
    expect(resumed.endedProcesses).toEqual(expect.arrayContaining(orphans));
    expect(workspace.step('Ask')).toMatchObject({
      status: 'completed',
      repeated: true,
      output: 'finished\n',
    });
    expect(workspace.read('before')).toBe('x\n');
  });
});
