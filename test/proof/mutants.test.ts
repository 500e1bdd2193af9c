import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../proof/mutants/list.ts';
import { expectText } from '../../proof/mutants/run-mutants.ts';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

it('has planted bugs with distinct names, each with a suite or test that must find it', () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { suites = [], tests = [] } of MUTANTS) expect(suites.length + tests.length).toBeGreaterThan(0);
});

it.each(MUTANTS)('finds the only place where $name is planted', (mutant) => {
  expectText(ROOT, mutant);
});

it('reports which bug can no longer be planted', () => {
  const [mutant] = MUTANTS;
  if (mutant === undefined) throw new Error('there is no mutant');
  expect(() => expectText(ROOT, { ...mutant, text: 'nobody wrote this' })).toThrow(
    `mutant \`${mutant.name}\`: its text occurs 0 times in \`${mutant.file}\`, expected once`,
  );
});

/** A row of the last table of docs/security.md: its test file, and the title as written in it. */
const ROW = /^\| .* \| `(test\/[^`]+)`: (.*) \|$/;

/** Suites that several test files share have no ending of their own. */
function isIn(planted: string, file: string): boolean {
  return file.endsWith('.test.ts') ? planted === file : path.dirname(planted) === path.dirname(file);
}

describe('each promise of docs/security.md', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs', 'security.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, file = '', title = ''] = ROW.exec(line) ?? [];
    return file === '' ? [] : [{ file, title }];
  });
  const planted = MUTANTS.flatMap(({ tests = [] }) => tests);

  it('has a row', () => expect(rows.length).toBeGreaterThan(60));

  it.each(rows)('has a planted bug that must fail `$title`', ({ file, title }) => {
    // What stands for the cases of a test, and may be one of them in the title of a bug.
    const words = title.split(/%[sj]|\$\w+/).reduce((a, b) => (a.length >= b.length ? a : b));
    const titles = planted.filter((test) => isIn(test.file, file)).map((test) => test.title);
    expect(
      titles.filter((one) => one === '' || title.includes(one) || one.includes(words.trim())),
    ).not.toEqual([]);
  });
});
