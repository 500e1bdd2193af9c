/** What reaches the real CLIs is in test/real-clis/tools.test.ts. */
import { expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

it('`--agent` with an agent that cannot deny a tool starts nothing', async () => {
  const workspace = new Workspace({
    'w.yaml': `providers:
  own: {command: [touch, started], input_mode: stdin}
steps:
  - {name: Ask, provider: claude, prompt: x, denied_tools: [Bash], retries: 0}
`,
  });
  for (const agent of ['codex', 'own']) {
    const ended = await workspace.run(['run', 'w.yaml', '--agent', agent]);
    expect(ended.exitCode).toBe(1);
    expect(workspace.step('Ask')).toMatchObject({
      outcome: 'invalid-input',
      error: { message: expect.stringContaining(`${agent} has no option for denied_tools`) },
    });
  }
  expect(workspace.has('started')).toBe(false);
});

it('a secret of an MCP server must be set, and is masked', async () => {
  const workspace = new Workspace({
    'w.yaml': `providers:
  actor: {adapter: mock, script: {answer: "{prompt}"}}
steps:
  - {name: Ask, provider: actor, input_file: ask.txt, mcp_servers: {gh: {command: [gh-mcp], secrets: [GH_TOKEN]}}}
`,
    'ask.txt': 'the token is 0123456789abcdef',
  });
  const unset = await workspace.run(['run', 'w.yaml']);
  expect(unset.stderr).toContain('environment variable `GH_TOKEN` is not set, but step `Ask` requires it');
  expect(workspace.step('Ask')).toMatchObject({ status: 'failed' });
  const env = { GH_TOKEN: '0123456789abcdef' };
  expect((await workspace.run(['run', 'w.yaml'], { env })).exitCode).toBe(0);
  expect(workspace.step('Ask').output).toBe('the token is ***');
});
