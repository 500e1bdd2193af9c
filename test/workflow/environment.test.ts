import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const yaml = `context: {name: x}
steps:
  - {name: First, command: [echo, "\${context.name}"], secrets: [NO_SUCH_SECRET]}
  - {name: Ask, provider: no-such-agent, input_file: prompts/aks.md}
providers: {no-such-agent: {command: [no-such-program, "\${PROMPT}"]}}
`;

describe('something missing on the machine', () => {
  it.each(['run', 'validate'])(
    'is reported by `%s` with its place, before anything starts',
    async (command) => {
      const workspace = new Workspace({ 'w.yaml': yaml, 'prompts/ask.md': 'Do it.' });
      const flags = command === 'run' ? ['--context', 'nmae=y'] : [];
      const { stderr } = await workspace.run([command, 'w.yaml', ...flags]);
      const warnings = [...stderr.matchAll(/^warning\[(.*)\]: (.*)\n *--> (.*)$/gm)].map((m) => m.slice(1));
      expect(warnings.slice(command === 'run' ? 1 : 0)).toEqual([
        [
          'environment/unset-secret',
          'environment variable `NO_SUCH_SECRET` is not set, but step `First` requires it',
          'w.yaml:3:65',
        ],
        [
          'environment/no-program',
          'program `no-such-program` not found on PATH, but step `Ask` needs it',
          'w.yaml:4:27',
        ],
        [
          'environment/no-prompt',
          'prompt file `prompts/aks.md` of step `Ask` not found, and no other step mentions it',
          'w.yaml:4:54',
        ],
      ]);
      expect(stderr).toContain('help: did you mean `prompts/ask.md`?\n');
      if (command === 'run') {
        expect(warnings[0]?.[1]).toBe(
          'context key `nmae` is set, but the workflow does not read `context.nmae`',
        );
        expect(stderr).toContain('help: did you mean `name`?\n');
        expect(stderr.indexOf('4 warnings in w.yaml')).toBeLessThan(stderr.indexOf('● run '));
        expect(workspace.step('First').error?.message).toBe(
          'secret not set in the environment: `NO_SUCH_SECRET`',
        );
      }
    },
  );

  it('is ignored if no agent is started or an earlier step creates the prompt', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Make, command: [bash, -c, "echo hi > prompt.md"]}
  - {name: Ask, provider: gemini, input_file: prompt.md}
`,
    });
    const ended = await workspace.run(['run', 'w.yaml', '--agent', 'mock'], {
      env: { PATH: '/usr/bin:/bin' },
    });
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).not.toContain('warning');
  });
});
