/** Runs of every kind that a person ended, or that failed: a keeper that starts later leaves them as they are. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ask, text } from '../converse/rig.ts';
import { killThoseIn, until } from '../rig/orchestrate.ts';
import { commandTask } from '../session/rig.ts';
import { HOLD, Machine } from './machine.ts';

type State = 'interrupted' | 'cancelled' | 'failed';
const FAILS = 'exit 3';
const KINDS = ['workflow', 'code', 'loop', 'session', 'phases', 'talk'] as const;

/** What each kind runs: it waits for the machine to be up again, or fails. */
async function begin(machine: Machine, state: State): Promise<{ readonly [kind: string]: string }> {
  const script = (kind: string) => (state === 'failed' ? FAILS : HOLD(kind));
  const isThere = (kind: string, runId: () => string) => () =>
    state === 'failed' ? machine.status(runId()) === 'failed' : machine.lines('begun').includes(kind);
  const agent = (kind: string) => {
    machine.write({ [`${kind}.sh`]: `cat > /dev/null\n${script(kind)}\n` });
    return ['--agent', `sh ${path.join(machine.folder, `${kind}.sh`)}`];
  };
  machine.write({
    'work.yaml': `name: work\nsteps:\n  - { name: Hold, command: [bash, -c, ${JSON.stringify(script('workflow'))}] }\n`,
    'work.workflow.mjs': `import { workflow } from 'orchestrate-run';
export default workflow({ name: 'code', run: async (ctx) => {
  await ctx.command('Hold', ['bash', '-c', ${JSON.stringify(script('code'))}]);
  return {};
} });
`,
    'talk/config/workflow.yaml': stringify({
      ...{ task: 'Do it', max_iterations: 3 },
      agent: {
        name: 'mock',
        script:
          state === 'failed'
            ? { outcome: 'auth' }
            : {
                cases: [
                  { prompt: 'This is iteration 1 of', structured: { content: [ask('t1', 'wait', {})] } },
                  { prompt: 'This is iteration 2 of', structured: { content: [text('Done.')] } },
                ],
              },
      },
    }),
    'talk/config/tools.yaml': stringify({
      tools: [{ name: 'wait', command: ['bash', '-c', `cd ..; ${script('talk')}`] }],
    }),
  });
  await machine.ok(['session', 'start', 'Work']);
  machine.write({
    '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(commandTask('IMPL-1', script('session'))),
  });
  await machine.ok(['iterate', 'init', 'task']);
  machine.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
  await machine.ok(['phases', 'create', 'A task', '--phase', 'Only one']);
  const commands: { readonly [kind: string]: readonly string[] } = {
    workflow: ['run', 'work.yaml', '--quiet'],
    code: ['run', 'work.workflow.mjs', '--quiet'],
    loop: ['iterate', 'run', 'task', ...agent('loop'), '--no-verify', '--no-delay'],
    session: ['execute', '--trust', '--quiet'],
    phases: ['phases', 'run', ...agent('phases'), '--retries', '0', '--quiet'],
    talk: ['converse', 'run', 'talk', '--trust'],
  };
  const runs: { [kind: string]: string } = {};
  for (const kind of KINDS) {
    const before = new Set(machine.runs());
    const mine = () => machine.runs().find((id) => !before.has(id)) ?? '';
    runs[kind] = await machine.begin(kind, commands[kind] ?? [], isThere(kind, mine));
  }
  return runs;
}

async function end(machine: Machine, state: State, runs: { readonly [kind: string]: string }): Promise<void> {
  for (const kind of KINDS) {
    const process = machine.processes.get(kind);
    if (state === 'interrupted') process?.child.kill('SIGINT');
    else if (state === 'cancelled') await machine.ok(['cancel', runs[kind] ?? '']);
    await process?.ended;
  }
}

describe('a keeper that starts after the machine went down', { timeout: 180_000 }, () => {
  it.each(['interrupted', 'cancelled', 'failed'] as const)(
    'leaves runs of every kind that were %s',
    async (state) => {
      const machine = new Machine({
        'canary.yaml':
          'name: canary\nsteps:\n  - { name: Wait, command: [bash, -c, "echo canary >> begun; until [ -e up ]; do sleep 0.02; done"] }\n',
      });
      const runs = await begin(machine, state);
      await end(machine, state, runs);
      expect(KINDS.map((kind) => [kind, machine.status(runs[kind] ?? '')])).toEqual(
        KINDS.map((kind) => [kind, state]),
      );
      // The machine goes down while this one runs.
      const canary = await machine.begin('canary', ['run', 'canary.yaml', '--quiet'], () =>
        machine.lines('begun').includes('canary'),
      );
      machine.processes.get('canary')?.child.kill('SIGKILL');
      await machine.processes.get('canary')?.ended;
      killThoseIn(machine.folder);
      machine.write({ up: '' });
      const before = KINDS.map((kind) => machine.journal(runs[kind]).length);
      const keeper = machine.start(['keep']);
      await until(() => machine.status(canary) === 'completed' || keeper.child.exitCode !== null);
      keeper.child.kill('SIGTERM');
      const { exitCode, stderr } = await keeper.ended;
      expect(exitCode, stderr).toBe(0);
      expect(machine.resumptions(canary)).toBe(1);
      expect(KINDS.map((kind) => machine.journal(runs[kind]).length)).toEqual(before);
      expect(machine.lines('done')).toEqual([]);
    },
  );
});
