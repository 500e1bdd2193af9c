import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const { man } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const hasGroff = spawnSync('groff', ['--version']).status === 0;

describe('man orchestrate', () => {
  it.skipIf(!hasGroff)('shows the help of every command as it is, and nothing is wrong with it', () => {
    const shown = spawnSync(
      'groff',
      ['-man', '-Tutf8', '-P-cbou', '-rLL=200n', '-ww', path.join(ROOT, man)],
      {
        encoding: 'utf8',
      },
    );
    expect(shown).toMatchObject({ status: 0, stderr: '' });
    const lines = new Set(shown.stdout.split('\n').map((line) => line.trim()));
    const cli = fs.readFileSync(path.join(ROOT, 'docs', 'cli.md'), 'utf8');
    const expected = [...cli.matchAll(/^```text\n([\s\S]*?)^```$/gm)]
      .flatMap(([, help = '']) => help.split('\n').map((line) => line.trim()))
      .filter((line) => line !== '');
    expect(expected.length).toBeGreaterThan(500);
    const inProse =
      /^(Usage: orchestrate \[options\] \[command\]|Runs coding agents as durable.*|plain files\.)$/;
    expect(expected.filter((line) => !lines.has(line) && !inProse.test(line))).toEqual([]);
    for (const heading of ['NAME', 'SYNOPSIS', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES'])
      expect(lines).toContain(heading);
    expect(shown.stdout).toMatch(/^ +3 +the run is waiting for an answer$/m);
  });
});
