import { describe, expect, it } from 'vitest';
import { createToolDisplay } from '../../src/agents/tool-display.ts';
import type { AgentEvent } from '../../src/model/agent.ts';
import type { JsonValue } from '../../src/model/json.ts';

function show(
  name: string,
  input: JsonValue,
  result: Partial<Extract<AgentEvent, { type: 'tool-result' }>> = {},
): { readonly use: string | undefined; readonly result: string | undefined } {
  const display = createToolDisplay();
  return {
    use: display({ type: 'tool-use', id: 't', name, input }),
    result: display({ type: 'tool-result', id: 't', isError: false, content: '', ...result }),
  };
}

const lines = (count: number, prefix = 'line '): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`).join('\n');

describe('the display of a tool', () => {
  it('Read: the file, and the first 15 lines with their numbers', () => {
    const read = show(
      'Read',
      { file_path: '/repo/TODO.md' },
      { content: '     1→# TODO\n     2→- [x] Task 1\n' },
    );
    expect(read.use).toBe('🔧 Read tool\n   File: /repo/TODO.md');
    expect(read.result).toBe('✓ File read successfully (2 lines)\n     1 | # TODO\n     2 | - [x] Task 1');
    const long = show('Read', { file_path: 'a', offset: 10, limit: 45 }, { content: lines(45) });
    expect(long.use).toBe('🔧 Read tool\n   File: a\n   Lines: 10-54');
    expect(long.result?.split('\n')).toHaveLength(17);
    expect(long.result?.split('\n').at(-1)).toBe('     ... (truncated, 30 more lines)');
  });

  it('Edit: both strings in full, however long', () => {
    const input = { file_path: 'a.ts', old_string: lines(200, 'old '), new_string: 'new', replace_all: true };
    const edit = show('Edit', input, { content: 'The file has been updated.' });
    expect(edit.use).toContain('\n   Replace: all occurrences\n   Old:\n     old 1\n');
    expect(edit.use).toContain('\n     old 200\n   New: new');
    expect(edit.result).toBe('✓ Edit applied');
  });

  it('a failed edit comes with a hint', () => {
    const content = '<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>';
    expect(show('Edit', { file_path: 'a' }, { isError: true, content }).result).toBe(
      `❌ Edit failed: String not found in file

   The search string was not found in the file. This could be because:
   - The string has already been changed
   - The string contains special characters that don't match exactly
   - The line breaks or spacing differ from what's in the file

   Tip: Use the Read tool to verify the current file content`,
    );
    const unread = show(
      'Edit',
      { file_path: 'a' },
      { isError: true, content: 'File has not been read yet.' },
    );
    expect(unread.result).toBe('❌ Edit failed: File has not been read yet.');
  });

  it('Write: the size, not the content', () => {
    const write = show('Write', { file_path: 'a.txt', content: 'x\n'.repeat(1000) });
    expect(write.use).toBe('🔧 Write tool\n   File: a.txt\n   Size: 2.0 KB (1000 lines)');
    expect(write.result).toBe('✓ File written');
  });

  it('Bash: the command, the exit code if reported, and 20 lines of output', () => {
    const bash = show('Bash', { command: 'make' }, { content: lines(25) });
    expect(bash.use).toBe('🔧 Bash tool\n   Command: make');
    expect(bash.result?.split('\n')).toHaveLength(22);
    expect(bash.result).toContain('     line 20\n     ... (truncated, 5 more lines)');
    const codex = show('shell', { command: 'make' }, { isError: true, content: 'no rule', exitCode: 2 });
    expect(codex.result).toBe('❌ shell failed (exit code 2): no rule');
    const claude = show('Bash', { command: 'make' }, { isError: true, content: 'Exit code 2\nno rule' });
    expect(claude.result).toBe('❌ Bash failed: Exit code 2\n     no rule');
  });

  it('Grep and Glob: the pattern and the matches', () => {
    const grep = show('Grep', { pattern: 'TODO', path: 'src' }, { content: 'a:1\nb:2' });
    expect(grep.use).toBe('🔧 Grep tool\n   Pattern: TODO\n   In: src');
    expect(grep.result).toBe('✓ 2 results\n     a:1\n     b:2');
    expect(show('Glob', { pattern: '**/*.ts' }, { content: 'a.ts' }).result).toBe('✓ 1 match\n     a.ts');
  });

  it.each([
    ['read_file', { file_path: 'a' }, '🔧 read_file tool\n   File: a'],
    [
      'write_file',
      { file_path: 'a', content: 'x' },
      '🔧 write_file tool\n   File: a\n   Size: 0.0 KB (1 line)',
    ],
    ['run_shell_command', { command: 'ls' }, '🔧 run_shell_command tool\n   Command: ls'],
    [
      'replace',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      '🔧 replace tool\n   File: a\n   Replace: first occurrence\n   Old: x\n   New: y',
    ],
    [
      'apply_patch',
      { changes: [{ path: 'p.txt', kind: 'add' }] },
      '🔧 apply_patch tool\n   File: p.txt (add)',
    ],
    ['WebFetch', { url: 'http://x' }, '🔧 WebFetch tool\n   {"url":"http://x"}'],
    ['ListAgents', {}, '🔧 ListAgents tool'],
  ])('%s is recognised', (name, input, expected) => {
    expect(show(name, input).use).toBe(expected);
  });

  it('success and failure are what the agent reports, not a guess from the output', () => {
    const success = show(
      'Bash',
      { command: 'cat log' },
      { content: 'Error: failed! Exit code 1. not found' },
    );
    expect(success.result).toMatch(/^✓ Command finished/);
    expect(show('Bash', { command: 'x' }, { isError: true, content: 'all good' }).result).toMatch(
      /^❌ Bash failed/,
    );
  });

  it('cannot control the terminal', () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egnp.exe\rhidden';
    const display = createToolDisplay();
    const shown = [
      display({ type: 'text', text: evil, delta: false }),
      display({ type: 'tool-use', id: 'a', name: evil, input: { command: evil } }),
      display({ type: 'tool-result', id: 'a', isError: true, content: evil }),
      display({ type: 'retry', message: evil }),
    ].join('\n');
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(shown).toContain('␛[2J');
  });
});
