import { expect, it } from 'vitest';
import type { ModelServer } from '../rig/model-server/server.ts';
import type { Ended, Started } from '../rig/orchestrate.ts';
import { until } from '../rig/orchestrate.ts';
import { type CliTool, MADE_UP_KEY } from './clis.ts';
import { PROMPT, SESSION_ID, type Stage } from './suite.ts';

/** Agents that start quickly, and one that takes long on a busy machine. */
const SILENT_SEC: { readonly [cli: string]: number } = { claude: 6, codex: 6, opencode: 25 };

/** The agent is stopped, or stops on its own. */
export function describeEnds({ cli, site, write }: Stage): void {
  /** Creates a file when it starts, and would run for minutes, in its own session like all tools of agents. */
  const endless: CliTool = cli.tools.shell(`echo ${MADE_UP_KEY}; touch begun; sleep 271`);

  it('an agent that is silent because its tool hangs is stopped together with the tool', async () => {
    // Longer than the agent is silent before it starts the tool.
    write(`idle_timeout_sec: ${SILENT_SEC[cli.name] ?? 15}, retries: 0`);
    const server = await site().serve([endless]);
    await expectEnded(server, { outcome: 'idle', says: 'the agent was idle for' });
    expect(site().workspace.has('begun')).toBe(true);
  });

  it('an agent whose model never answers again is stopped at its time limit', async () => {
    write('timeout_sec: 3, retries: 0');
    const server = await site().serve([cli.tools.shell(`echo ${MADE_UP_KEY}`), { type: 'hang' }]);
    await expectEnded(server, {
      outcome: 'timed-out',
      says: 'the agent timed out after 3 s',
    });
  });

  it(`an agent stopped by another process has crashed${cli.name === 'gemini' ? ', although it exits with 0,' : ''} and is retried`, async () => {
    write('retries: { max: 1, delay_ms: 1 }');
    const server = await site().serve([{ type: 'hang' }, { type: 'text', text: 'Whole.' }]);
    const started = site().start(['run', 'w.yaml'], server);
    await server.requested(1);
    process.kill(site().events('process-started')[0]?.pid ?? 0, 'SIGTERM');
    expect(await started.ended).toMatchObject({ exitCode: 0 });
    const failure = { type: 'agent', outcome: { type: 'crashed' } };
    expect(site().events('attempt-ended')).toMatchObject([{ attempt: 1, counted: true, failure }]);
    const done = { status: 'completed', outcome: 'done', attempts: 2, output: 'Whole.' };
    expect(site().workspace.step('Ask')).toMatchObject(done);
    const response = JSON.parse(site().readRun('responses/001-Ask.json'));
    expect(response).toMatchObject({ outcome: 'crashed', ...(cli.name === 'gemini' && { exit_code: 0 }) });
  });

  it('Ctrl+C stops the agent, and resume continues its conversation', async () => {
    write();
    const first = await site().serve([cli.tools.write('half.txt', MADE_UP_KEY), { type: 'hang' }]);
    const started = site().start(['run', 'w.yaml'], first);
    await first.requested(2);
    const sessionId = await site().worked();
    const ended = await interrupt(started, 'SIGINT');
    expect(ended).toMatchObject({ exitCode: 130 });
    expect(site().workspace.read('half.txt')).toBe(MADE_UP_KEY);

    const { asked } = await resumeToEnd();
    const continued = { session_id: sessionId, succeeded: true };
    expect(site().workspace.step('Ask')).toMatchObject({ session_id: sessionId, debug: { continued } });
    for (const text of [PROMPT, 'half.txt', 'You were interrupted before you finished']) {
      expect(asked.includes(text), `the model receives: ${text}`).toBe(true);
    }
  });

  it('SIGTERM stops the agent in the middle of a tool, and resume starts again if the agent has lost the conversation', async () => {
    write();
    const started = site().start(['run', 'w.yaml'], await site().serve([endless]));
    const sessionId = await site().worked();
    await until(() => site().workspace.has('begun'));
    const ended = await interrupt(started, 'SIGTERM');
    expect(ended).toMatchObject({ exitCode: 143 });

    site().forgetConversations();
    const { asked } = await resumeToEnd();
    const continued = { session_id: sessionId, succeeded: false };
    expect(site().workspace.step('Ask').debug).toMatchObject({ continued });
    expect(asked.includes(PROMPT)).toBe(true);
    expect(asked.includes('You were interrupted before you finished')).toBe(false);
  });

  it('SIGKILL of the program leaves the agent running in the middle of a tool; resume stops it and does the task', async () => {
    write();
    const started = site().start(['run', 'w.yaml'], await site().serve([endless]));
    const sessionId = await site().worked();
    await until(() => site().workspace.has('begun'));
    started.child.kill('SIGKILL');
    expect(await started.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(await site().leftRunning()).not.toEqual([]);
    expect(site().filesWithKey()).toEqual([]);
    expect(site().workspace.state()).toMatchObject({ status: 'running' });

    const { asked, ended } = await resumeToEnd();
    const [resumed] = site().events('run-resumed');
    expect(resumed?.tookOver).toMatchObject({ pid: started.pid });
    expect(resumed?.endedProcesses).not.toHaveLength(0);
    expect(ended.stderr).toContain(`taken over from process ${started.pid} on `);
    expect(ended.stderr).toContain('▶ Ask  attempt 1 (the previous one was interrupted)');
    expect(site().workspace.step('Ask')).toMatchObject({ repeated: true });
    // Whether the conversation can be continued depends on what the agent had saved of it.
    const continued = { session_id: sessionId, succeeded: expect.any(Boolean) };
    expect(site().workspace.step('Ask').debug).toMatchObject({ continued });
    expect(asked.includes(PROMPT), 'the model receives the task').toBe(true);
  });

  async function interrupt(started: Started, signal: 'SIGINT' | 'SIGTERM'): Promise<Ended> {
    started.child.kill(signal);
    const ended = await started.ended;
    expect(ended.stderr).toContain(': stopping running steps. ');
    expect(site().workspace.state()).toMatchObject({ status: 'interrupted' });
    expect(site().events('run-ended')).toMatchObject([{ status: 'interrupted', signal }]);
    await site().expectNothingLeft();
    return ended;
  }

  /** What the model was asked first. */
  async function resumeToEnd(): Promise<{ readonly asked: string; readonly ended: Ended }> {
    const server = await site().serve([{ type: 'text', text: 'Whole.' }]);
    const ended = await site().resume(server);
    expect(ended).toMatchObject({ exitCode: 0 });
    const { workspace } = site();
    expect(workspace.state()).toMatchObject({ status: 'completed' });
    const done = { status: 'completed', outcome: 'done', attempts: 1, output: 'Whole.' };
    expect(workspace.step('Ask')).toMatchObject(done);
    expect(workspace.step('Ask').session_id).toMatch(SESSION_ID);
    expect(workspace.step('After')).toMatchObject({ status: 'completed', output: 'Whole.' });
    return { asked: JSON.stringify(server.requests[0]?.body), ended };
  }

  async function expectEnded(
    server: ModelServer,
    { outcome, says }: { readonly outcome: string; readonly says: string },
  ): Promise<void> {
    const ended = await site().run(['run', 'w.yaml'], server);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(`\n  Ask: ${says}`);
    const { workspace } = site();
    const failed = { status: 'failed', outcome, exit_code: 124, attempts: 1, cost_usd: null };
    expect(workspace.step('Ask')).toMatchObject(failed);
    expect(workspace.state()).toMatchObject({ status: 'failed', totals: { unknown_cost_calls: 1 } });
    expect(workspace.state().steps).not.toHaveProperty('After');
  }
}
