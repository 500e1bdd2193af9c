/** Large, deep, odd and malicious files are loaded or explained; none of them throws. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../../src/report/render-diagnostic.ts';
import { loadWorkflow } from '../../../src/workflow/load/load-workflow.ts';

let workspace = '';
beforeAll(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-hostile-'));
});
afterAll(() => fs.rmSync(workspace, { recursive: true, force: true }));

function load(content: string | Buffer) {
  fs.writeFileSync(path.join(workspace, 'flow.yaml'), content);
  return loadWorkflow(workspace, 'flow.yaml');
}

/** The codes of the diagnostics; also renders them, which must not fail either. */
function codesOf(content: string | Buffer): readonly string[] {
  const loaded = load(content);
  if (loaded.type === 'ok') return [];
  expect(renderDiagnostics(loaded.error, { color: true })).toContain(' in ');
  return [...new Set(loaded.error.map((diagnostic) => diagnostic.code))];
}

const STEP = '  - name: A\n    command: ["true"]\n';

describe('nesting', () => {
  it.each([
    ['flow lists', `steps: [{name: A, command: ["true"]}]\ncontext:\n  a: ${'['.repeat(100_000)}`],
    ['flow mappings', `steps: [{name: A, command: ["true"]}]\ncontext:\n  a: ${'{a: '.repeat(100_000)}`],
    ['block lists on one line', `steps:\n${'- '.repeat(100_000)}x\n`],
    ['explicit keys', `${'? '.repeat(100_000)}x\n`],
    ['block mappings', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
  ])('of %s beyond the limit is one diagnostic', (_, content) => {
    expect(codesOf(content)).toEqual(['yaml/too-deep']);
  });

  it('of fifty levels is accepted', () => {
    expect(
      codesOf(`steps: [{name: A, command: ["true"]}]\ncontext:\n  a: ${'['.repeat(50)}${']'.repeat(50)}\n`),
    ).toEqual([]);
  });

  it('through conditions is checked completely', () => {
    const condition = `${'{not: '.repeat(40)}{exists: a.txt}${'}'.repeat(40)}`;
    expect(codesOf(`steps:\n${STEP}    when: ${condition}\n`)).toEqual([]);
  });
});

describe('aliases', () => {
  it('that expand to millions of values are rejected', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 30; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    expect(codesOf(`steps: [{name: A, command: ["true"]}]\ncontext:\n  ${lines.join('\n  ')}\n`)).toEqual([
      'yaml/too-many-aliases',
    ]);
  });

  it('that multiply through merge keys are rejected', () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}: 1`).join(', ');
    const lines = [`m0: &m0 {${keys}}`];
    for (let level = 1; level < 12; level += 1) {
      lines.push(
        `m${level}: &m${level} {<<: [${Array(10)
          .fill(`*m${level - 1}`)
          .join(', ')}]}`,
      );
    }
    expect(codesOf(`steps: [{name: A, command: ["true"]}]\ncontext:\n  ${lines.join('\n  ')}\n`)).toEqual([
      'yaml/too-many-aliases',
    ]);
  });

  it('that merge a mapping into itself are rejected', () => {
    expect(codesOf('steps: [{name: A, command: ["true"]}]\ncontext: &c\n  <<: *c\n  a: 1\n')).toEqual([
      'yaml/alias-cycle',
    ]);
  });
});

describe('size', () => {
  it('of fifty megabytes is rejected without reading the file', () => {
    const file = path.join(workspace, 'large.yaml');
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 50 * 1024 * 1024);
    const loaded = loadWorkflow(workspace, 'large.yaml');
    expect(loaded.type === 'error' && loaded.error.map(({ code }) => code)).toEqual(['workflow/too-large']);
  });

  it('of ten thousand steps is accepted', () => {
    const steps = Array.from(
      { length: 10_000 },
      (_, index) => `  - name: Step${index}\n    command: ["echo", "\${run.id}", ${index}]\n`,
    );
    const loaded = load(`steps:\n${steps.join('')}`);
    expect(loaded.type === 'ok' && loaded.value.definition.steps.length).toBe(10_000);
  });

  it('of ten thousand invalid steps gives as many diagnostics, of which the first are shown', () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => `  - {name: S${index}, comand: [x]}\n`);
    const loaded = load(`steps:\n${steps.join('')}`);
    if (loaded.type === 'ok') throw new Error('it loaded');
    expect(loaded.error).toHaveLength(10_000);
    const text = renderDiagnostics(loaded.error, { color: false });
    expect(text).toContain('… and 9900 more\n');
    expect(text.endsWith('\n10000 errors in flow.yaml\n')).toBe(true);
  });

  it('of a mapping with a hundred thousand keys is accepted', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `  k${index}: ${index}\n`);
    expect(codesOf(`steps: [{name: A, command: ["true"]}]\ncontext:\n${keys.join('')}`)).toEqual([]);
  });

  it('of one line of a megabyte is shown only around the mistake', () => {
    const loaded = load(`steps: [{name: A, command: ["${'x'.repeat(1_000_000)}"], wibble: 1}]\n`);
    if (loaded.type === 'ok') throw new Error('it loaded');
    expect(renderDiagnostics(loaded.error, { color: false }).length).toBeLessThan(2000);
  });
});

describe('bytes', () => {
  it.each([
    ['a lone continuation byte', Buffer.from([0x61, 0x80]), 1],
    ['an overlong sequence', Buffer.from([0xc0, 0xaf]), 0],
    ['a surrogate', Buffer.from([0x61, 0x62, 0xed, 0xa0, 0x80]), 2],
    ['a truncated sequence', Buffer.from([0x61, 0xe2, 0x82]), 1],
    ['UTF-16', Buffer.from('name: x', 'utf16le'), undefined],
  ])('%s is reported at its offset', (_, content, offset) => {
    const loaded = load(content);
    if (loaded.type === 'ok') throw new Error('it loaded');
    const [first] = loaded.error;
    expect(first?.code).toBe(offset === undefined ? 'yaml/nul-character' : 'yaml/not-utf8');
    if (offset !== undefined) expect(first?.range?.start).toBe(offset);
  });

  it('of U+FFFD are ordinary text', () => {
    expect(codesOf(`steps:\n${STEP}    agent: "\ufffd"\n`)).toEqual([]);
  });
});

describe('paths that are not files', () => {
  it('such as a pipe are rejected without waiting', () => {
    const loaded = loadWorkflow('/', 'dev/null');
    expect(loaded.type === 'error' && loaded.error[0]?.message).toBe('`dev/null` is not a regular file');
  });
});

describe('any text', () => {
  const valid = fs.readFileSync(path.join(import.meta.dirname, '../../workflows/ok/everything.yaml'), 'utf8');
  const inserted = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '\n',
      ': ',
      '- ',
      '"',
      "'",
      '[',
      '{',
      '}',
      ']',
      '&a ',
      '*a',
      '<<: ',
      '${',
      '}',
      '!x ',
      '|\n',
      '\t',
      '#',
    ),
    fc.constantFrom('null', '{}', '[]', '..', '/', 'steps', '__proto__', '${steps.A.output}', '? ', '---\n'),
  );

  it('made by changing a valid file is loaded or explained', () => {
    const edit = fc.record({ at: fc.nat(valid.length), cut: fc.nat(40), put: inserted });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
        let text = valid;
        for (const { at, cut, put } of edits) text = text.slice(0, at) + put + text.slice(at + cut);
        codesOf(text);
      }),
      { numRuns: 300 },
    );
  });

  it('of random bytes is loaded or explained', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        codesOf(Buffer.from(bytes));
      }),
      { numRuns: 300 },
    );
  });
});
