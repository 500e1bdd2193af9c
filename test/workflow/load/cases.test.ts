/**
 * A case is two files: `x.yaml` and `x.out`, the text that users see. `UPDATE=1` rewrites the `.out` files; review each of them.
 * An `.out` without a `.yaml` is about a missing file, or one that the test creates.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import { renderDiagnostics } from '../../../src/report/render-diagnostic.ts';
import type { Machine } from '../../../src/workflow/load/check-environment.ts';
import { CODES } from '../../../src/workflow/load/codes.ts';
import { loadWorkflow } from '../../../src/workflow/load/load-workflow.ts';

const folder = path.join(import.meta.dirname, '../../workflows');
/** Cases whose files cannot be stored in a repository. */
const MADE_HERE = ['too-large', 'link-leaves-workspace', 'missing-file'];

/** Context set from outside. */
const GIVEN: { readonly [name: string]: JsonObject } = {
  'unknown-context': { given: 'x' },
  environment: { nmae: 'x' },
  'inputs-given': {
    count: 'three',
    mode: 'fulll',
    spec: 'no-such-file.md',
    dry: 'maybe',
    isue: '7',
    sizes: '1',
  },
};
/** A machine without programs and variables. */
const POOR: Machine = {
  variables: ['API_TOKEN'],
  hasProgram: (name) => name === 'sh',
  whyNoRepository: () => ({ type: 'none' }),
};

let scratch = '';
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-cases-'));
  fs.writeFileSync(path.join(scratch, 'too-large.yaml'), Buffer.alloc(8 * 1024 * 1024 + 1, '#'));
  fs.writeFileSync(path.join(scratch, 'mising-file.yaml'), 'steps: []\n');
  const linked = 'link-leaves-workspace.yaml';
  fs.copyFileSync(path.join(folder, 'err', linked), path.join(scratch, linked));
  fs.symlinkSync('..', path.join(scratch, 'link-out'));
  fs.symlinkSync('nowhere-at-all', path.join(scratch, 'link-nowhere'));
});
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function casesIn(kind: 'ok' | 'err'): readonly string[] {
  const names = fs.readdirSync(path.join(folder, kind)).map((name) => path.parse(name));
  return [
    ...new Set(names.filter(({ ext }) => ext === '.yaml' || ext === '.out').map(({ name }) => name)),
  ].sort();
}

function expectOut(file: string, text: string): void {
  if (process.env['UPDATE'] === '1') fs.writeFileSync(file, text);
  expect(text).toBe(fs.readFileSync(file, 'utf8'));
}

describe('an invalid workflow file is explained', () => {
  it.each(casesIn('err'))('%s', (name) => {
    const workspace = MADE_HERE.includes(name) ? scratch : path.join(folder, 'err');
    const loaded = loadWorkflow(workspace, `${name}.yaml`, {
      context: GIVEN[name] ?? {},
      ...(name === 'environment' ? { machine: POOR } : {}),
    });
    const text = loaded.type === 'error' ? renderDiagnostics(loaded.error, { color: false }) : 'it loaded\n';
    expect(loaded.type).toBe('error');
    expectOut(path.join(folder, 'err', `${name}.out`), text);
  });

  it('with a case for every code', () => {
    const shown = casesIn('err').map((name) =>
      fs.readFileSync(path.join(folder, 'err', `${name}.out`), 'utf8'),
    );
    const seen = new Set(
      shown.flatMap((text) => [...text.matchAll(/^(?:error|warning)\[(.+?)\]/gm)].map((m) => m[1])),
    );
    expect(Object.keys(CODES).filter((code) => !seen.has(code))).toEqual([]);
    expect([...seen].filter((code) => code === undefined || !(code in CODES))).toEqual([]);
  });
});

describe('a valid workflow file becomes a definition', () => {
  it.each(casesIn('ok'))('%s', (name) => {
    const loaded = loadWorkflow(path.join(folder, 'ok'), `${name}.yaml`);
    if (loaded.type === 'error') throw new Error(renderDiagnostics(loaded.error, { color: false }));
    const { definition, warnings } = loaded.value;
    const sources = loaded.value.sources.map(({ file }) => file);
    const text = `${JSON.stringify({ sources, definition }, null, 2)}\n${renderDiagnostics(warnings, { color: false })}`;
    expectOut(path.join(folder, 'ok', `${name}.out`), text);
  });
});
