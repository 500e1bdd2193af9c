import { expect, it } from 'vitest';
import { SCENARIOS } from './scenarios.ts';
import type { Stage } from './suite.ts';

/** What is reported for an end that the CLI calls a success or does not name: the scenario, the outcome, the start of the message. */
const REPORTED: readonly (readonly [string, string, string])[] = [
  ['tool-deferred', 'denied', "a hook stopped the agent's call of `Bash`: a hook deferred the call"],
  ['hook-stopped', 'denied', 'a hook stopped the agent: not on my watch'],
  ['stop-hook-prevented', 'denied', 'a hook stopped the agent: not on my watch'],
  ['stop-hook-overridden', 'denied', 'a hook stopped the agent: the tests are red'],
  ['prompt-blocked', 'denied', 'a hook stopped the agent: it holds a secret'],
  [
    'stopped-at-a-tool',
    'denied',
    'a hook stopped the agent: Agent execution stopped by hook: not on my watch',
  ],
  ['stopped-before-it-began', 'crashed', 'the agent ended without a result: it stopped with '],
  ['denied', 'denied', 'the agent was denied `'],
  ['stopped-at-a-denial', 'denied', 'the agent was denied `write`'],
  [
    'refused-by-hook',
    'denied',
    "the agent was denied `run_shell_command`; a rule or hook in the agent's own settings refuses it",
  ],
  ['not-found', 'invalid-input', 'the agent rejected the call: '],
  ['quota', 'over-budget', "the agent's account is out of credit or quota: Quota exceeded."],
  ['context-full', 'invalid-input', 'the agent rejected the call: Codex ran out of room'],
  ['at-capacity', 'overloaded', 'the model is overloaded'],
];

/** The agent exits with 0 or without a reason, but its work is not done. */
export function describeUnfinished({ cli, site, write }: Stage): void {
  const cases = REPORTED.flatMap(([name, outcome, says]) => {
    const scenario = SCENARIOS.find((one) => one.name === name);
    return scenario?.only?.includes(cli.name) === false || scenario === undefined
      ? []
      : [{ name, outcome, says, scenario }];
  });

  it.each(cases)('$name is $outcome, and nothing runs after it', async ({ outcome, says, scenario }) => {
    write('retries: 0', scenario.request?.permissions ?? 'default');
    const server = await site().serve(scenario.turns(cli));
    const ended = await site().run(['run', 'w.yaml'], server, scenario.site);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(`\n  Ask: ${says}`);
    const { workspace } = site();
    expect(workspace.step('Ask')).toMatchObject({ status: 'failed', outcome, attempts: 1 });
    expect(workspace.state().steps).not.toHaveProperty('After');
    expect(workspace.has('answer.txt')).toBe(false);
  });

  // Codex has no refusal of its own: its sandbox lets a command fail. opencode stops at a refusal.
  if (cli.name === 'codex' || cli.name === 'opencode') return;
  const denied = cli.tools.write('hello.txt', 'hello');
  const list = cli.name === 'qwen' ? '' : `\`allowed_tools: [${denied.name}]\` or `;
  const keys = `${list}\`permissions: bypass\``;

  it('a denied tool is only a warning if all checks pass', async () => {
    write('expect: { command: [test, -f, ask.txt], reask: 1 }', 'default');
    const server = await site().serve([denied, { type: 'text', text: 'It was there already.' }]);
    const ended = await site().run(['run', 'w.yaml'], server, { trusted: true });
    const warning = `all checks passed, although the agent was denied \`${denied.name}\`; allow it with ${keys}. Its last words: "It was there already."`;
    expect(ended.stderr).toContain(`→ Ask  ${warning}\n`);
    expect(ended).toMatchObject({ exitCode: 0 });
    const { workspace } = site();
    expect(workspace.step('Ask')).toMatchObject({
      ...{ status: 'completed', outcome: 'done', decisions: [warning] },
      debug: { denied_tools: [denied.name] },
    });
    expect(workspace.step('After')).toMatchObject({ output: 'It was there already.' });
  });

  it('a denied tool fails the step if a check fails, and the agent is not asked again', async () => {
    write('expect: { files: [hello.txt], reask: 2 }', 'default');
    const server = await site().serve([denied, { type: 'text', text: 'I may not.' }]);
    const ended = await site().run(['run', 'w.yaml'], server, { trusted: true });
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(`\n  Ask: the agent was denied \`${denied.name}\`; allow it with `);
    const [runId] = site().workspace.runs();
    expect(ended.stderr).toContain(
      `\n  to continue: set ${keys} for \`Ask\`, then orchestrate resume ${runId} --accept-changes\n`,
    );
    expect(site().workspace.step('Ask')).toMatchObject({ status: 'failed', outcome: 'denied', exit_code: 2 });
    expect(server.requests).toHaveLength(2);
  });
}
