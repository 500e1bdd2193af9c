import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const NAMES = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
const TEXTS = Object.fromEntries(NAMES.map((name) => [name, fs.readFileSync(path.join(ROOT, name), 'utf8')]));
const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- The first one.\n';
const DATE = new Date('2030-01-02T03:04:05Z');
const { withVersion } = await import(new URL('../../scripts/release-version.js', import.meta.url).href);
const { elfOf } = await import(new URL('../../scripts/elf.js', import.meta.url).href);

describe('a release', () => {
  it('changes the version and nothing else in package.json and its lock file', () => {
    // Also while a release is made: nothing is unreleased then.
    const changed = withVersion({ ...TEXTS, 'CHANGELOG.md': CHANGELOG }, '99.0.1', DATE);
    for (const name of ['package.json', 'package-lock.json']) {
      const [before, after] = [TEXTS[name] ?? '', changed[name]].map((text: string) => text.split('\n'));
      const different = after?.filter((line, index) => line !== before?.[index]).map((line) => line.trim());
      expect(different, name).toEqual(
        Array.from({ length: name === 'package.json' ? 1 : 2 }, () => '"version": "99.0.1",'),
      );
    }
  });

  it('turns what is unreleased into the section of the version', () => {
    const changed = withVersion({ ...TEXTS, 'CHANGELOG.md': CHANGELOG }, '99.0.1', DATE);
    expect(changed['CHANGELOG.md']).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## 99.0.1 - 2030-01-02\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- The first one.\n',
    );
  });

  it.each([
    ['1.2', '`1.2` is not a version such as 1.2.3'],
    ['v1.2.3', '`v1.2.3` is not a version such as 1.2.3'],
    ['0.0.9', '0.0.9 is not newer than 0.1.0'],
    ['0.1.0', '0.1.0 is not newer than 0.1.0'],
  ])('is refused for the version %s', (version, message) => {
    const texts = { ...TEXTS, 'package.json': '{"version": "0.1.0"}' };
    expect(() => withVersion(texts, version, DATE)).toThrow(message);
  });

  it('is refused if nothing changed', () => {
    const released = CHANGELOG.replace('\n### Added\n\n- A thing.\n', '');
    expect(() => withVersion({ ...TEXTS, 'CHANGELOG.md': released }, '99.0.1', DATE)).toThrow(
      'CHANGELOG.md has nothing under Unreleased',
    );
  });
});

describe.runIf(process.platform === 'linux')('the check of native parts', () => {
  it('sees which libraries a program needs', () => {
    const { processor, interpreter, libraries } = elfOf(fs.readFileSync(process.execPath));
    expect(processor).toBe(process.arch);
    expect(interpreter).toMatch(/^\/lib.*\/ld-/);
    expect(libraries.join(' ')).toMatch(/\blibc\./);
  });

  it('sees that a static program needs none', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-elf-'));
    try {
      const [source, program] = ['static.c', 'static'].map((name) => path.join(folder, name));
      fs.writeFileSync(source ?? '', 'void _start(void) { for (;;) {} }\n');
      execFileSync('cc', ['-static', '-nostdlib', '-o', program ?? '', source ?? '']);
      expect(elfOf(fs.readFileSync(program ?? ''))).toEqual({
        processor: process.arch,
        interpreter: undefined,
        libraries: [],
      });
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('refuses a file that is not a program', () => {
    expect(() => elfOf(Buffer.from('#!/bin/sh\n'))).toThrow('not an ELF file');
  });
});
