/** A fixed sample of every suite of the proof. The whole proof: `npm run proof`. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../proof/findings.ts';
import { violationsText } from '../../proof/main.ts';
import { renderPage } from '../../proof/render-page.ts';
import { loadMutants, loadRuns } from '../../proof/results.ts';
import { runSuite } from '../../proof/run-suite.ts';
import { SUITES } from '../../proof/suites.ts';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const SEED = 1;

describe('the proof, a sample of each suite', () => {
  it('has suites with distinct names, each with a sentence that says what must hold', () => {
    const names = SUITES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, title } of SUITES) {
      expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      expect(title).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('has a page that matches the saved results', () => {
    const page = fs.readFileSync(path.join(ROOT, 'docs', 'proof.md'), 'utf8');
    expect(page).toBe(renderPage(loadRuns(ROOT), loadMutants(ROOT)));
  });

  it.each(FINDINGS)('found: $found', ({ suite, test }) => {
    expect(SUITES.map(({ name }) => name)).toContain(suite);
    if (test === undefined) return;
    const text = fs.readFileSync(path.join(ROOT, test.file), 'utf8');
    expect(text.replaceAll("\\'", "'")).toContain(`'${test.title}'`);
  });

  for (const suite of SUITES) {
    it(`${suite.name}: ${suite.title}`, { timeout: 600_000 }, async () => {
      const jobs = Math.min(2, os.availableParallelism());
      const result = await runSuite(suite, { seed: SEED, scale: 'quick', root: ROOT, jobs });
      expect(violationsText(result)).toBe('');
      expect(result.tried).toBeGreaterThan(0);
    });
  }
});
