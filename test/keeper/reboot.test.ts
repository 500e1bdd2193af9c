/** The machine goes down with runs of all kinds in every state; then a keeper starts. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ask, text } from '../converse/rig.ts';
import { killThoseIn, until } from '../rig/orchestrate.ts';
import { commandTask } from '../session/rig.ts';
import { HOLD, Machine } from './machine.ts';

const held = (name: string, more = ''): string =>
  `name: ${name}\n${more}steps:\n  - { name: First, command: [bash, -c, "echo ${name}-first >> begun"] }\n` +
  `  - { name: Hold, command: [bash, -c, ${JSON.stringify(HOLD(name))}] }\n`;

const limited = (until_: Date): string => `name: limit
providers:
  mock:
    script: { attempts: [{ outcome: rate-limited, resets_at: "${until_.toISOString()}" }, { answer: done }] }
steps:
  - { name: Ask, provider: mock, prompt: hello, retries: 0 }
`;

const question = (name: string): string => `name: ${name}
steps:
  - name: Release
    approve: { message: "Release it?", choices: [yes, no] }
  - { name: After, command: [bash, -c, "echo ${name} >> done"] }
`;

const LOOP_AGENT = `cat > /dev/null
${HOLD('loop')}
echo '{"complete": true}' > claude-iterate/workspaces/task/.status.json
`;
const PHASE_AGENT = `cat > /dev/null
${HOLD('phases')}
echo '{"status": "completed", "deliverables": [], "context_for_next": "", "error": ""}'
`;

describe('a keeper that starts after the machine went down', { timeout: 180_000 }, () => {
  it('takes up every run that lost its process or got an answer, once, and leaves the others', async () => {
    const machine = new Machine({
      'running.yaml': held('running'),
      'never.yaml': held('never', 'keep: never\n'),
      'person.yaml': held('person'),
      'cancelled.yaml': held('cancelled'),
      'sleep.yaml':
        'name: sleep\nsteps:\n  - name: Poll\n    repeat:\n      max_iterations: 2\n      delay_sec: 15\n      until: { exists: slept }\n      steps:\n        - { name: Look, command: [bash, -c, "echo look >> looks; [ -e up ] && touch slept; true"] }\n',
      'answered.yaml': question('answered'),
      'open.yaml': question('open'),
      'failed.yaml': 'name: failed\nsteps:\n  - { name: A, command: [bash, -c, "exit 3"] }\n',
      'completed.yaml': 'name: completed\nsteps:\n  - { name: A, command: [echo, a] }\n',
      'loop.sh': LOOP_AGENT,
      'phase.sh': PHASE_AGENT,
      'talk/config/workflow.yaml': stringify({
        ...{ task: 'Do it', max_iterations: 3 },
        agent: {
          name: 'mock',
          script: {
            cases: [
              { prompt: 'This is iteration 1 of', structured: { content: [ask('t1', 'wait', {})] } },
              { prompt: 'This is iteration 2 of', structured: { content: [text('Done.')] } },
            ],
          },
        },
      }),
      'talk/config/tools.yaml': stringify({
        tools: [{ name: 'wait', command: ['bash', '-c', `cd ..; ${HOLD('talk')}`] }],
      }),
    });
    const begun = (name: string) => () => machine.lines('begun').includes(name);
    const runs: { [name: string]: string } = {};
    for (const name of ['running', 'never', 'person', 'cancelled'])
      runs[name] = await machine.begin(name, ['run', `${name}.yaml`, '--quiet'], begun(name));
    await machine.ok(['session', 'start', 'Work']);
    machine.write({
      '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(commandTask('IMPL-1', HOLD('session'))),
    });
    runs['session'] = await machine.begin('session', ['execute', '--trust', '--quiet'], begun('session'));
    await machine.ok(['iterate', 'init', 'task']);
    machine.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': 'Do it.\n' });
    const agent = ['--agent', `sh ${path.join(machine.folder, 'loop.sh')}`, '--no-verify', '--no-delay'];
    runs['loop'] = await machine.begin('loop', ['iterate', 'run', 'task', ...agent], begun('loop'));
    await machine.ok(['phases', 'create', 'A task', '--phase', 'Only one']);
    runs['phases'] = await machine.begin(
      'phases',
      ['phases', 'run', '--agent', `sh ${path.join(machine.folder, 'phase.sh')}`, '--quiet'],
      begun('phases'),
    );
    runs['talk'] = await machine.begin('talk', ['converse', 'run', 'talk', '--trust'], begun('talk'));
    for (const [name, exitCode] of [
      ...[['answered', 3] as const, ['open', 3] as const],
      ...[['failed', 1] as const, ['completed', 0] as const],
    ]) {
      const before = new Set(machine.runs());
      expect(await machine.run(['run', `${name}.yaml`, '--quiet'])).toMatchObject({ exitCode });
      runs[name] = machine.runs().find((id) => !before.has(id)) ?? '';
    }
    // People stop two of them.
    machine.processes.get('person')?.child.kill('SIGINT');
    await machine.processes.get('person')?.ended;
    await machine.ok(['cancel', runs['cancelled'] ?? '']);
    await machine.processes.get('cancelled')?.ended;
    // The last one, so that the machine goes down before its limit ends.
    machine.write({ 'limit.yaml': limited(new Date(Date.now() + 15_000)) });
    runs['limit'] = await machine.begin('limit', ['run', 'limit.yaml', '--quiet'], () =>
      machine.journal(machine.runs().at(-1)).some(({ type }) => type === 'attempt-ended'),
    );
    runs['sleep'] = await machine.begin('sleep', ['run', 'sleep.yaml', '--quiet'], () =>
      machine.journal(machine.runs().at(-1)).some(({ type }) => type === 'sleep-started'),
    );
    expect(new Set(Object.values(runs)).size).toBe(14);
    for (const { child, ended } of machine.processes.values()) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    }
    // A reboot ends the commands and agents too.
    killThoseIn(machine.folder);
    fs.writeFileSync(path.join(machine.folder, 'up'), '');
    await machine.ok(['approve', runs['answered'] ?? '', 'Release', '--choose', 'yes']);

    const taken = ['running', 'limit', 'sleep', 'session', 'loop', 'phases', 'talk', 'answered'];
    const left = ['never', 'person', 'cancelled', 'open', 'failed', 'completed'];
    const leftBefore = left.map((name) => machine.journal(runs[name]).length);
    const keeper = machine.start(['keep']);
    await until(
      () =>
        taken.every((name) => machine.status(runs[name] ?? '') === 'completed') ||
        keeper.child.exitCode !== null,
    );
    // A second keeper names the first.
    expect(await machine.run(['keep'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`this workspace is already kept by process ${keeper.pid}`),
    });
    keeper.child.kill('SIGTERM');
    const { exitCode, stderr } = await keeper.ended;
    expect(exitCode, stderr).toBe(0);
    expect(taken.map((name) => [name, machine.resumptions(runs[name] ?? '')])).toEqual(
      taken.map((name) => [name, 1]),
    );
    expect(left.map((name) => machine.journal(runs[name]).length)).toEqual(leftBefore);
    expect(machine.lines('done').toSorted()).toEqual([
      'answered',
      'loop',
      'phases',
      'running',
      'session',
      'talk',
    ]);
    expect(machine.lines('begun').filter((line) => line === 'running-first')).toHaveLength(1);
    // The pause goes by once, and what was done before it is not done again.
    expect(machine.lines('looks')).toHaveLength(2);
    expect(stderr).toContain(`resumed run ${runs['running']}: its process died\n`);
    expect(stderr).toContain(`resumed run ${runs['answered']}: \`Release\` was answered\n`);
  });
});

describe('an answer while the keeper runs', { timeout: 60_000 }, () => {
  it.each(['approve', 'a file'])('is taken up at once: %s', async (how) => {
    const machine = new Machine({ 'ask.yaml': question('ask') });
    expect(await machine.run(['run', 'ask.yaml', '--quiet'])).toMatchObject({ exitCode: 3 });
    const [run = ''] = machine.runs();
    const keeper = machine.start(['keep']);
    await new Promise((keeping) => keeper.child.stderr?.once('data', keeping));
    if (how === 'approve') await machine.ok(['approve', run, 'Release', '--choose', 'yes']);
    else
      machine.write({
        [`.orchestrate/runs/${run}/answers/Release.json`]: JSON.stringify({ key: 'Release', choice: 'yes' }),
      });
    await until(() => machine.status(run) === 'completed' || keeper.child.exitCode !== null);
    expect(machine.resumptions(run)).toBe(1);
  });
});

describe('orchestrate serve', { timeout: 60_000 }, () => {
  it('keeps the workspace too, unless it is started with --no-keep', async () => {
    const machine = new Machine({ 'ask.yaml': question('ask') });
    expect(await machine.run(['run', 'ask.yaml', '--quiet'])).toMatchObject({ exitCode: 3 });
    const [run = ''] = machine.runs();
    await machine.ok(['approve', run, 'Release', '--choose', 'yes']);
    const end = async (flags: readonly string[], isReady: () => boolean): Promise<void> => {
      const server = machine.start(['serve', '--port', '0', ...flags]);
      await new Promise((listening) => server.child.stdout?.once('data', listening));
      await until(() => isReady() || server.child.exitCode !== null);
      server.child.kill('SIGTERM');
      expect(await server.ended).toMatchObject({ exitCode: 0 });
    };
    await end(['--no-keep'], () => true);
    expect(machine.status(run)).toBe('waiting');
    expect(machine.has('.orchestrate/keeper')).toBe(false);
    await end([], () => machine.status(run) === 'completed');
    expect(machine.resumptions(run)).toBe(1);
  });
});

describe('a run that dies again and again', () => {
  it('is resumed with growing pauses, and then left', async () => {
    const { decideTakeUp, PAUSES_MS } = await import('../../src/keeper/take-up.ts');
    const { KeeperRecord } = await import('../../src/operations/schedules/keeper-events.ts');
    const record = new KeeperRecord();
    const totals = { steps_completed: 1, steps_failed: 0, agent_calls: 0 };
    const run = { runId: 'r', paths: {}, state: { status: 'interrupted', totals }, signal: undefined };
    let now = new Date('2026-05-01T00:00:00Z');
    const decide = () => decideTakeUp(run as never, record, { now, bootedAt: new Date(0) });
    for (const [index, pause] of [0, ...PAUSES_MS].entries()) {
      if (pause > 0) {
        now = new Date(now.getTime() + pause - 1);
        expect(decide()).toMatchObject({ type: 'at' });
        now = new Date(now.getTime() + 1);
      }
      expect(decide()).toEqual({ type: 'now', why: 'its process died', attempt: index + 1 });
      record.apply({
        ...{ type: 'run-taken-up', at: now.toISOString(), runId: 'r' as never },
        ...{ why: '', attempt: index + 1, done: 1 },
      });
    }
    expect(decide()).toEqual({ type: 'give-up', why: 'it ended 5 times without completing anything' });
    // Once it has done something, it counts from one again.
    totals.steps_completed = 2;
    expect(decide()).toMatchObject({ type: 'now', attempt: 1 });
  });
});
