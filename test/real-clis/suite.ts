/** The effect drives a real CLI from end to end: real binary, real tools, scripted model. */
import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { promptDigest } from '../../src/effects/agent/conversation.ts';
import type { RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import { createRunAgent } from '../../src/effects/run-agent.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { type AgentRig, ask, createAgentRig } from '../agents/rig.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { type Cli, type CliSite, cleanEnvironment } from './clis.ts';
import { installClis } from './install.ts';

export function describeRealCli(cli: Cli): void {
  describe(`${cli.name} ${cli.version}`, { timeout: 180_000 }, () => {
    let rig: AgentRig;
    let home: string;
    const servers: ModelServer[] = [];

    beforeAll(async () => {
      await installClis();
      process.stdout.write(`real CLI: ${cli.name} ${cli.version} (${cli.command().at(-1)})\n`);
    }, 15 * 60_000);

    beforeEach(() => {
      rig = createAgentRig();
      home = join(rig.workspace, '..', 'home');
      fs.mkdirSync(home);
    });

    afterEach(async () => {
      const left = await rig.leftRunning();
      for (const server of servers.splice(0)) await server.close();
      rig.remove();
      expect(left, 'processes left running').toEqual([]);
    });

    interface Start {
      readonly turns: readonly Turn[];
      readonly input?: Partial<RunAgentInput>;
      readonly site?: Partial<CliSite>;
      readonly attempt?: number;
      readonly signal?: AbortSignal;
    }

    async function begin(start: Start): Promise<{ server: ModelServer; output: Promise<RunAgentOutput> }> {
      const server = await startModelServer(start.turns);
      servers.push(server);
      const environment = {
        ...cleanEnvironment(home),
        ...cli.settle({ home, url: server.url, ...start.site }),
      };
      const run = createRunAgent({ runProcess, environment });
      const agent = { type: 'builtin', adapter: cli.name, command: cli.command() } as const;
      const input = ask('How many are two and two?', { agent, permissions: 'bypass', ...start.input });
      const context = rig.context({
        attempt: start.attempt ?? 1,
        ...(start.signal !== undefined && { signal: start.signal }),
      });
      const output = run(input, context);
      // Awaited later by the test; until then a rejection is not an unhandled one.
      output.catch(() => {});
      return { server, output };
    }

    async function answer(start: Start): Promise<RunAgentOutput> {
      return await (await begin(start)).output;
    }

    it('answers, and keeps what was sent and what came back', async () => {
      const { server, output: pending } = await begin({ turns: [{ type: 'text', text: 'Four.' }] });
      const output = await pending;
      expect(output).toMatchObject({ exitCode: 0, outcome: 'done', output: 'Four.', answer: 'Four.' });
      expect(output.sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(output.spent?.usage?.inputTokens).toBeGreaterThanOrEqual(100);
      if (cli.name === 'claude') expect(output.spent?.costUsd).toBeGreaterThan(0);
      else expect(output.spent?.costUsd).toBeNull();
      expect(JSON.stringify(server.requests[0]?.body).includes('How many are two and two?')).toBe(true);
      expect(rig.readRun('prompts/001-Ask.txt')).toBe('How many are two and two?');
      expect(rig.readRunJson('responses/001-Ask.json')).toMatchObject({ outcome: 'done', result: 'Four.' });
      expect(rig.readRun('logs/Ask.stdout')).toContain('Four.');
      expect(rig.events()).toContainEqual(expect.objectContaining({ type: 'text', text: 'Four.' }));
    });

    it('lets the agent write a file and shows a tool that failed', async () => {
      const output = await answer({
        turns: [
          cli.tools.write('made.txt', 'by hand'),
          cli.tools.shell('exit 3'),
          { type: 'text', text: 'Made.' },
        ],
      });
      expect(output).toMatchObject({ outcome: 'done', answer: 'Made.' });
      expect(rig.read('made.txt')).toBe('by hand');
      const results = rig.events().filter((event) => event.type === 'tool-result');
      // Gemini calls a command that exits with 3 a success.
      expect(results.map((event) => event.isError)).toEqual([false, cli.name !== 'gemini']);
    });

    it('takes a prompt that begins with a dash and one of a megabyte', async () => {
      const prompt = `--help ${'long '.repeat(200_000)}`;
      const { server, output } = await begin({
        turns: [{ type: 'text', text: 'Read.' }],
        input: { prompt: [{ type: 'text', text: prompt }] },
      });
      expect(await output).toMatchObject({ outcome: 'done', answer: 'Read.' });
      expect(JSON.stringify(server.requests[0]?.body).includes(prompt.trimEnd())).toBe(true);
    });

    it('says that a limit is reached, and until when where the agent tells it', async () => {
      const output = await answer({
        turns: [
          {
            type: 'error',
            status: 429,
            kind: 'rate_limit_error',
            message: 'limited',
            headers: {
              'anthropic-ratelimit-unified-status': 'rejected',
              'anthropic-ratelimit-unified-reset': '1794790000',
              'anthropic-ratelimit-unified-representative-claim': 'five_hour',
            },
          },
        ],
        site: { plan: true },
      });
      const resetsAt = cli.name === 'claude' ? { resetsAt: '2026-11-16T00:46:40.000Z' } : {};
      expect(output.failure).toMatchObject({ type: 'agent', outcome: { type: 'rate-limited', ...resetsAt } });
      expect(output.exitCode).toBe(1);
    });

    it.each([
      [529, 'overloaded', 1],
      [500, 'api-error', 1],
      [401, 'auth', 2],
    ] as const)('calls HTTP %i %s', async (status, outcome, exitCode) => {
      const output = await answer({ turns: [{ type: 'error', status, message: 'no' }] });
      expect(output).toMatchObject({ outcome, exitCode, failure: { type: 'agent' } });
    });

    it('stops at the number of turns', async () => {
      const tool = cli.tools.shell('true');
      const output = await answer({
        turns: [tool, tool, tool, { type: 'text', text: 'Too late.' }],
        input: { maxTurns: 1 },
      });
      expect(output).toMatchObject({ outcome: 'max-turns', exitCode: 1 });
    });

    it('ends an agent that hangs in a tool, with the tool', async () => {
      const output = await answer({
        turns: [cli.tools.shell('sleep 271'), { type: 'text', text: 'Never.' }],
        // Longer than it may be silent before it starts the tool.
        input: { idleTimeoutMs: cli.name === 'gemini' ? 8_000 : 5_000 },
      });
      expect(output).toMatchObject({ outcome: 'idle', exitCode: 124 });
      expect(rig.events()).toContainEqual(expect.objectContaining({ type: 'tool-use' }));
    });

    it('is ended by the run, and the next try goes on with the conversation', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const first = await begin({
        turns: [cli.tools.write('half.txt', 'half'), { type: 'hang' }],
        signal: controller.signal,
      });
      await first.server.requested(2);
      controller.abort(reason);
      await expect(first.output).rejects.toBe(reason);
      expect(await rig.leftRunning()).toEqual([]);
      expect(rig.read('half.txt')).toBe('half');

      await expectContinued(['How many are two and two?', 'half.txt']);
    });

    it('is killed together with its owner, and the next try does the task', async () => {
      const first = await begin({ turns: [cli.tools.write('half.txt', 'half'), { type: 'hang' }] });
      await first.server.requested(2);
      process.kill(rig.pids[0] ?? 0, 'SIGKILL');
      expect(await first.output).toMatchObject({ outcome: 'crashed' });
      // An owner that died would not have written it.
      fs.rmSync(join(rig.site.directory, 'responses/001-Ask.json'));

      // SIGKILL may come before the agent has written its conversation down: then it is begun anew, with the same end.
      const { sessionId } = rig.readRunJson('responses/001-Ask.session.json');
      const second = await begin({ turns: [{ type: 'text', text: 'Whole.' }] });
      expect(await second.output).toMatchObject({
        outcome: 'done',
        answer: 'Whole.',
        debug: { continued: { session_id: sessionId } },
      });
      const asked = JSON.stringify(second.server.requests[0]?.body);
      expect(asked.includes('How many are two and two?'), 'the model is told the task').toBe(true);
    });

    async function expectContinued(known: readonly string[]): Promise<void> {
      const { sessionId } = rig.readRunJson('responses/001-Ask.session.json');
      const second = await begin({ turns: [{ type: 'text', text: 'Whole.' }] });
      const output = await second.output;
      expect(output).toMatchObject({
        outcome: 'done',
        answer: 'Whole.',
        sessionId,
        debug: { continued: { session_id: sessionId, succeeded: true } },
      });
      const asked = JSON.stringify(second.server.requests[0]?.body);
      for (const text of [...known, 'You were interrupted from outside']) {
        expect(asked.includes(text), `the model is told: ${text}`).toBe(true);
      }
    }

    it('begins anew when the agent has lost the conversation', async () => {
      const lost = { sessionId: '11111111-1111-4111-8111-111111111111', agent: cli.name, worked: true };
      fs.mkdirSync(join(rig.site.directory, 'prompts'), { recursive: true });
      fs.mkdirSync(join(rig.site.directory, 'responses'), { recursive: true });
      const kept = { ...lost, promptDigest: promptDigest('How many are two and two?') };
      fs.writeFileSync(join(rig.site.directory, 'prompts/001-Ask.txt'), 'How many are two and two?');
      fs.writeFileSync(join(rig.site.directory, 'responses/001-Ask.session.json'), JSON.stringify(kept));
      const output = await answer({ turns: [{ type: 'text', text: 'Four.' }] });
      expect(output).toMatchObject({
        outcome: 'done',
        answer: 'Four.',
        debug: { continued: { succeeded: false } },
      });
    });
  });
}
