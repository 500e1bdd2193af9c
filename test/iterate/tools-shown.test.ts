import { describe, expect, it } from 'vitest';
import { Project, status } from './rig.ts';

interface Used {
  readonly name: string;
  readonly input: object;
  readonly result: string;
  readonly isError?: boolean;
  /** What Claude Code adds to the result of a command. */
  readonly stdout?: string;
}

/** A tool use and its result, as Claude Code prints them. */
function events(uses: readonly Used[]): readonly object[] {
  return uses.flatMap(({ name, input, result, isError, stdout }, index) => {
    const id = `t${index}`;
    const use = { type: 'tool_use', id, name, input };
    const answer = { type: 'tool_result', tool_use_id: id, content: result, is_error: isError === true };
    return [
      { type: 'assistant', message: { id, content: [use] } },
      {
        ...{ type: 'user', message: { content: [answer] } },
        ...(stdout === undefined ? {} : { tool_use_result: { stdout, stderr: '', interrupted: false } }),
      },
    ];
  });
}

const lines = (word: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);

describe('claude-iterate run --verbose', () => {
  it('shows every tool with its input and result, and the log contains the same', async () => {
    const project = new Project();
    await project.task();
    const old = lines('old', 30);
    project.agent({
      calls: [
        status(
          { complete: true },
          {
            events: events([
              { name: 'Read', input: { file_path: '/a.md' }, result: lines('read', 17).join('\n') },
              {
                name: 'Edit',
                input: { file_path: '/a.md', old_string: old.join('\n'), new_string: 'new' },
                result: '<tool_use_error>String to replace not found in file.</tool_use_error>',
                isError: true,
              },
              { name: 'Write', input: { file_path: '/b.md', content: 'one\ntwo\n' }, result: 'error: none' },
              {
                name: 'Bash',
                input: { command: 'make' },
                result: ['Exit code 2', ...lines('make', 22)].join('\n'),
                isError: true,
              },
              { name: 'Bash', input: { command: 'make test' }, result: 'ok', stdout: 'ok' },
              { name: 'Grep', input: { pattern: 'TODO' }, result: 'a:1\nb:2' },
              { name: 'Glob', input: { pattern: '*.md' }, result: 'a.md' },
            ]),
          },
        ),
      ],
    });
    const ended = await project.iterate(['run', 'task', '--no-verify', '--verbose']);
    const shown = [
      '🔧 Read tool',
      '   File: /a.md',
      '✓ File read successfully (17 lines)',
      ...lines('read', 15).map((line, index) => `${String(index + 1).padStart(6)} | ${line}`),
      '     ... (truncated, 2 more lines)',
      '🔧 Edit tool',
      '   File: /a.md',
      '   Replace: first occurrence',
      '   Old:',
      ...old.map((line) => `     ${line}`),
      '   New: new',
      '❌ Edit failed: String not found in file',
      '',
      '   The search string was not found in the file. This could be because:',
      '   - The string has already been changed',
      "   - The string contains special characters that don't match exactly",
      "   - The line breaks or spacing differ from what's in the file",
      '',
      '   Tip: Use the Read tool to verify the current file content',
      '🔧 Write tool',
      '   File: /b.md',
      '   Size: 0.0 KB (2 lines)',
      '✓ File written',
      '🔧 Bash tool',
      '   Command: make',
      '❌ Bash failed: Exit code 2',
      ...lines('make', 20).map((line) => `     ${line}`),
      '     ... (truncated, 2 more lines)',
      '🔧 Bash tool',
      '   Command: make test',
      '✓ Command finished (exit code 0)',
      '     ok',
      '🔧 Grep tool',
      '   Pattern: TODO',
      '✓ 2 results',
      '     a:1',
      '     b:2',
      '🔧 Glob tool',
      '   Pattern: *.md',
      '✓ 1 match',
      '     a.md',
      'call 1',
      '',
    ].join('\n');
    expect(ended.stdout).toContain(`Running iteration 1...\n${shown}✓ Iteration 1 complete\n`);
    expect(project.log()).toContain(`CLAUDE OUTPUT:\n${shown}\nSTATUS: success\n`);
  });

  it('is not needed for the log, which is the same at the quiet level', async () => {
    const project = new Project();
    await project.task();
    const uses = events([{ name: 'Glob', input: { pattern: '*.md' }, result: 'a.md' }]);
    project.agent({ calls: [status({ complete: true }, { events: uses })] });
    await project.iterate(['run', 'task', '--no-verify', '--quiet']);
    expect(project.log()).toContain(
      'CLAUDE OUTPUT:\n🔧 Glob tool\n   Pattern: *.md\n✓ 1 match\n     a.md\ncall 1\n\nSTATUS: success\n',
    );
  });
});
