import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_325, CODEX, GEMINI } from './clis.ts';
import { installClis } from './install.ts';

const USED = [CLAUDE_325, CODEX, GEMINI];

describe(`a workflow with ${USED.map((cli) => `${cli.name} ${cli.version}`).join(', ')}`, {
  timeout: 180_000,
}, () => {
  let site: CliWorkspace;

  beforeAll(installClis, 15 * 60_000);

  beforeEach(() => {
    const steps = USED.map(
      (cli) =>
        `  - { name: Ask-${cli.name}, provider: ${cli.name}, input_file: ask.txt, permissions: bypass }\n`,
    );
    site = new CliWorkspace(USED, {
      'w.yaml': `name: three\nsteps:\n${steps.join('')}`,
      'ask.txt': 'Who are you?',
    });
  });

  afterEach(() => site.expectNothingLeft());

  it('runs one after the other, and reports the cost of each', async () => {
    const server = await site.serve(USED.map((cli) => ({ type: 'text', text: `I am ${cli.name}.` })));
    expect(await site.run(['run', 'w.yaml', '--quiet'], server)).toMatchObject({ exitCode: 0 });
    for (const cli of USED) {
      const step = site.workspace.step(`Ask-${cli.name}`);
      expect(step).toMatchObject({ outcome: 'done', output: `I am ${cli.name}.` });
      if (cli.name === 'claude') expect(step.cost_usd).toBeGreaterThan(0);
      else expect(step.cost_usd).toBeNull();
    }
    expect(site.workspace.state().totals).toMatchObject({ agent_calls: 3, unknown_cost_calls: 2 });
  });
});
