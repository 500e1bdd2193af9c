import { expect, it } from 'vitest';
import { USAGE } from '../rig/model-server/script.ts';
import { type CliTool, MADE_UP_KEY } from './clis.ts';
import { LEAVE_BEHIND, PROMPT, SESSION_ID, type Stage } from './suite.ts';

/** The agent does what it was asked, and the workflow continues. */
export function describeAnswers({ cli, site, write }: Stage): void {
  const reportsCost = cli.reports.cost;
  const cost = reportsCost ? '\\$0\\.00\\d+' : 'cost unknown';

  it(`a plain answer is the step's output, with session, tokens and ${reportsCost ? 'cost' : 'a cost that is unknown, not 0'}`, async () => {
    write();
    const server = await site().serve([{ type: 'text', text: 'Four.' }]);
    const ended = await site().run(['run', 'w.yaml'], server);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^✓ Ask {2}\\S+ m?s {2}${cost}$`, 'm'));
    expect(ended.stderr).toMatch(new RegExp(`^✓ completed {2}2 steps {2}\\S+ m?s {2}${cost}$`, 'm'));

    const { workspace } = site();
    const asked = workspace.step('Ask');
    const ask = { status: 'completed', outcome: 'done', exit_code: 0, attempts: 1, output: 'Four.' };
    expect(asked).toMatchObject({ ...ask, artifacts: ['answer.txt'] });
    expect(asked.session_id).toMatch(SESSION_ID);
    if (reportsCost) expect(asked.cost_usd).toBeGreaterThan(0);
    else expect(asked.cost_usd).toBeNull();
    const totals = { agent_calls: 1, unknown_cost_calls: reportsCost ? 0 : 1 };
    expect(workspace.state()).toMatchObject({ status: 'completed', totals });
    if (cli.reports.tokens) {
      // Gemini CLI also asks its model which model to use, and counts that call.
      const calls = cli.name === 'gemini' ? 2 : 1;
      const tokens = { input: calls * USAGE.input, output: calls * USAGE.output };
      expect(asked.usage).toMatchObject({ inputTokens: tokens.input, outputTokens: tokens.output });
      expect(workspace.state().totals).toMatchObject({ tokens });
    }
    if (cli.name === 'claude') expect(asked.debug).toMatchObject({ agent_version: cli.version });

    expect(workspace.step('After')).toMatchObject({ status: 'completed', output: 'Four.' });
    expect(site().readRun('prompts/001-Ask.txt')).toBe(PROMPT);
    const response = JSON.parse(site().readRun('responses/001-Ask.json'));
    expect(response).toMatchObject({ outcome: 'done', result: 'Four.', session_id: asked.session_id });
    expect(site().events('attempt-ended')).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.body).includes(PROMPT)).toBe(true);
  });

  it('a prompt may start with a dash and be a megabyte long', async () => {
    write();
    const prompt = `--help ${MADE_UP_KEY} ${'long '.repeat(200_000)}`;
    site().workspace.write({ 'ask.txt': prompt });
    // An agent may send so large a request again before it reads the answer.
    const server = await site().serve(Array.from({ length: 4 }, () => ({ type: 'text', text: 'Read.' })));
    expect(await site().run(['run', 'w.yaml'], server)).toMatchObject({ exitCode: 0 });
    expect(site().workspace.step('Ask')).toMatchObject({ outcome: 'done', output: 'Read.' });
    expect(JSON.stringify(server.requests[0]?.body).includes(prompt.trimEnd())).toBe(true);
  });

  it('a file that the agent writes with a tool is in the workspace', async () => {
    write();
    const { answered, verbose } = await useTool(cli.tools.write('made.txt', 'by hand'));
    expect(site().workspace.read('made.txt')).toBe('by hand');
    const byShell = cli.name === 'codex' || cli.name === 'qwen';
    expect(verbose).toMatch(byShell ? /│ ✓ Command finished/ : /│ ✓ File written/);
    expect(answered).toMatchObject({ status: 'completed', outcome: 'done', output: 'Tried.' });
  });

  it(`a tool that fails is ${cli.name === 'gemini' ? 'called a success by the CLI' : 'shown as failed'}, passed on to the model, and does not fail the step`, async () => {
    write();
    const tool = cli.tools.shell(`${LEAVE_BEHIND} echo the key is ${MADE_UP_KEY}; exit 3`);
    const { answered, verbose, told } = await useTool(tool);
    expect(verbose).toMatch(
      cli.name === 'gemini' ? /│ ✓ Command finished/ : /│ ❌ (?:Bash|bash|shell|run_shell_command) failed/,
    );
    expect(told.includes(`the key is ${MADE_UP_KEY}`), 'the model sees what the tool printed').toBe(true);
    expect(answered).toMatchObject({ status: 'completed', outcome: 'done', attempts: 1, output: 'Tried.' });
    // Copilot CLI masks it itself, with six stars.
    expect(verbose).toContain('the key is ***');
    expect(verbose).not.toContain(MADE_UP_KEY);
    expect(site().readRun('logs/Ask.stdout')).toContain('the key is ***');
  });

  /** One use of a tool, then an answer. */
  async function useTool(tool: CliTool): Promise<{ answered: object; verbose: string; told: string }> {
    const server = await site().serve([tool, { type: 'text', text: 'Tried.' }]);
    const ended = await site().run(['run', 'w.yaml', '--verbose'], server);
    expect(ended.exitCode).toBe(0);
    expect(server.requests).toHaveLength(2);
    const told = JSON.stringify(server.requests[1]?.body);
    return { answered: site().workspace.step('Ask'), verbose: ended.stderr, told };
  }
}
