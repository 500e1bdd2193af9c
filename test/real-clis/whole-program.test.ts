/** The built program and the real CLIs, found on PATH as a user's are. */
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseRunId } from '../../src/model/ids.ts';
import { runMark } from '../../src/process/environment.ts';
import { environmentValue, readProcessTable } from '../../src/process/process-table.ts';
import { endMarkedProcesses, MARK_VARIABLE } from '../../src/process/terminate-tree.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { until, Workspace } from '../rig/orchestrate.ts';
import { CLAUDE_325, CODEX, cleanEnvironment, GEMINI } from './clis.ts';
import { installClis } from './install.ts';

const USED = [CLAUDE_325, CODEX, GEMINI];

beforeAll(async () => {
  await installClis();
  process.stdout.write(`real CLIs: ${USED.map((cli) => `${cli.name} ${cli.version}`).join(', ')}\n`);
}, 15 * 60_000);

async function serve(turns: readonly Turn[]): Promise<ModelServer> {
  const server = await startModelServer(turns);
  onTestFinished(() => server.close());
  return server;
}

/** An environment in which the three are on PATH and know the server. */
function environmentFor(workspace: Workspace, server: ModelServer): { readonly [name: string]: string } {
  const home = join(workspace.folder, 'home');
  const bin = join(home, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  for (const cli of USED) {
    const words = cli.command().map((word) => `'${word}'`);
    fs.writeFileSync(join(bin, cli.name), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  }
  const clean = cleanEnvironment(home);
  const settled = USED.map((cli) => cli.settle({ home, url: server.url }));
  return { ...clean, ...Object.assign({}, ...settled), PATH: `${bin}:${clean['PATH']}` };
}

function markOf(workspace: Workspace): string {
  const runId = parseRunId(workspace.runs().at(-1) ?? '') ?? '';
  return runMark({ runId, directory: fs.realpathSync(workspace.runFolder()) });
}

async function leftRunning(workspace: Workspace): Promise<readonly number[]> {
  const mark = markOf(workspace);
  const table = await readProcessTable();
  return table
    .filter((entry) => environmentValue(entry.pid, MARK_VARIABLE)?.split(',').includes(mark))
    .map((entry) => entry.pid);
}

describe('a workflow of real agents', { timeout: 180_000 }, () => {
  it('goes from one to the next, and says what each of them cost', async () => {
    const steps = USED.map(
      (cli) =>
        `  - { name: Ask-${cli.name}, provider: ${cli.name}, input_file: ask.txt, permissions: bypass }\n`,
    );
    const workspace = new Workspace({
      'w.yaml': `name: three\nsteps:\n${steps.join('')}`,
      'ask.txt': 'Who are you?',
    });
    const server = await serve(USED.map((cli) => ({ type: 'text', text: `I am ${cli.name}.` })));
    const env = environmentFor(workspace, server);
    const ended = await workspace.run(['run', 'w.yaml', '--quiet'], { env });
    expect(ended).toMatchObject({ exitCode: 0 });
    for (const cli of USED) {
      const step = workspace.step(`Ask-${cli.name}`);
      expect(step).toMatchObject({ outcome: 'done', output: `I am ${cli.name}.` });
      if (cli.name === 'claude') expect(step.cost_usd).toBeGreaterThan(0);
      else expect(step.cost_usd).toBeNull();
    }
    expect(workspace.state().totals).toMatchObject({ unknown_cost_calls: 2 });
    expect(await leftRunning(workspace)).toEqual([]);
  });

  it('is killed in the middle of a conversation, and resume finishes the task', async () => {
    const yaml =
      'name: killed\nsteps:\n  - { name: Ask, provider: claude, input_file: ask.txt, output_file: answer.txt, permissions: bypass }\n';
    const workspace = new Workspace({ 'w.yaml': yaml, 'ask.txt': 'Write half.txt, then think.' });
    const first = await serve([CLAUDE_325.tools.write('half.txt', 'half'), { type: 'hang' }]);
    const started = workspace.start(['run', 'w.yaml', '--quiet'], { env: environmentFor(workspace, first) });
    await first.requested(2);
    const kept = (): string => join(workspace.runFolder(), 'responses', '001-Ask.session.json');
    await until(() => fs.existsSync(kept()) && fs.readFileSync(kept(), 'utf8').includes('"worked": true'));
    onTestFinished(async () => {
      await endMarkedProcesses(markOf(workspace), { graceMs: 0 });
    });
    started.child.kill('SIGKILL');
    await started.ended;
    expect(await leftRunning(workspace)).not.toEqual([]);

    const second = await serve([{ type: 'text', text: 'Thought.' }]);
    const env = environmentFor(workspace, second);
    const resumed = await workspace.run(['resume', workspace.runs().at(-1) ?? '', '--quiet'], { env });
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(workspace.read('answer.txt')).toBe('Thought.');
    expect(JSON.stringify(second.requests[0]?.body).includes('Write half.txt, then think.')).toBe(true);
    // Whether the conversation was still there depends on what the agent had written down of it.
    const { sessionId } = JSON.parse(fs.readFileSync(kept(), 'utf8'));
    expect(workspace.step('Ask').debug).toMatchObject({ continued: { session_id: expect.any(String) } });
    expect(sessionId).toEqual(workspace.step('Ask').session_id);
    expect(await leftRunning(workspace)).toEqual([]);
  });
});
