/** The tables of promises in the docs name tests that exist. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROW = /^\| .+ \| `(test\/[\w./-]+\.ts)`: (.+) \|$/;
const HEADING = '## What is promised, and the test that proves it';

const PAGES = ['iterate', 'converse', 'sessions', 'phases', 'mcp', 'keeper', 'security', 'serve'].map(
  (name) => `docs/${name}.md`,
);

describe.each(PAGES)('the promises in %s', (page) => {
  const [, table = ''] = fs.readFileSync(path.join(ROOT, page), 'utf8').split(HEADING);
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:promise|---)/.test(line));

  it('are a table', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !ROW.test(row))).toEqual([]);
  });

  it('each name a test by its file and its title', () => {
    const missing = rows.filter((row) => {
      const [, file = '', title = ''] = ROW.exec(row) ?? [];
      const source = fs.readFileSync(path.join(ROOT, file), 'utf8');
      const quoted = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return !new RegExp(`(?:\\bit|\\))\\(\\s*(['"\`])${quoted}\\1`).test(source);
    });
    expect(missing).toEqual([]);
  });
});
