/** Runs the scripts that docs/substitution.md calls accepted with malicious values, and checks that those it calls rejected are. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommand, renderCommand } from '../../src/template/shell/command.ts';
import { Workspace } from '../rig/orchestrate.ts';

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/substitution.md'), 'utf8');

const HOSTILE = [
  'a[$(touch PWNED)]',
  'a[$(>PWNED)]',
  '$(touch PWNED)',
  '`touch PWNED`',
  "'; touch PWNED; '",
  '"; touch PWNED; "',
  'x\ntouch PWNED\n',
  '-v a[$(>PWNED)]',
  'x -o -v a[$(>PWNED)]',
  '-e1e touch PWNED',
  '-x',
  '1',
  '08',
  '',
];

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-page-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function linesOf(mark: string): readonly string[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`bash no-run ${mark}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  return blocks.flatMap(([, text = '']) => text.trimEnd().split('\n'));
}

const asCommand = (line: string): readonly string[] => ['bash', '-c', line, '_', '${x}'];

describe('docs/substitution.md', () => {
  it.each(linesOf('accepted'))('runs no code from a value in: %s', (line) => {
    const parsed = parseCommand(asCommand(line));
    expect(parsed.problems).toEqual([]);
    for (const value of HOSTILE) {
      const cell = fs.mkdtempSync(path.join(folder, 'cell-'));
      fs.writeFileSync(path.join(cell, 'notes'), 'one\n');
      const rendered = renderCommand(parsed, () => value);
      const [program = '', ...words] = rendered.type === 'ok' ? rendered.value : [];
      try {
        execFileSync(program, words, { cwd: cell, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
      } catch {
        // A value may make a command fail.
      }
      expect(fs.existsSync(path.join(cell, 'PWNED')), value).toBe(false);
    }
    expect(renderCommand(parsed, () => 'a\0b').type).toBe('error');
  });

  it.each(linesOf('refused'))('correctly says that this is rejected: %s', (line) => {
    const codes = new Set(parseCommand(asCommand(line)).problems.map(({ code }) => code));
    expect([...codes]).toEqual([expect.stringMatching(/^template\/value-as-(?:code|option)$/)]);
  });

  it('shows workflows in which no value runs as code', async () => {
    const workflows = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
    expect(workflows.length).toBeGreaterThan(1);
    const workspace = new Workspace({ 'processed/x': '' });
    for (const [index, text] of workflows.entries()) {
      workspace.write({ [`${index}.yaml`]: text });
      for (const value of HOSTILE) {
        workspace.write({ 'given.json': JSON.stringify({ note: value, title: value, file: value }) });
        const ended = await workspace.run([
          'run',
          `${index}.yaml`,
          '--context-file',
          'given.json',
          '--quiet',
        ]);
        expect([0, 1], ended.stderr).toContain(ended.exitCode);
        expect(workspace.has('PWNED'), value).toBe(false);
      }
    }
  });
});
