import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
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
