import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../../src/report/render-diagnostic.ts';
import { loadWorkflow } from '../../../src/workflow/load/load-workflow.ts';

const root = path.join(import.meta.dirname, '../../..');
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

interface JsonSchema {
  readonly properties?: { readonly [key: string]: JsonSchema };
  readonly description?: string;
  readonly $ref?: string;
  readonly [keyword: string]: unknown;
}

/** Every key of the schema, with its description. */
function keysOf(schema: unknown, found = new Map<string, JsonSchema>()): Map<string, JsonSchema> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries((schema as JsonSchema).properties ?? {})) found.set(key, value);
  for (const child of Object.values(schema)) keysOf(child, found);
  return found;
}

it('the JSON Schema, the list of diagnostics and the reference are up to date', () => {
  execFileSync(process.execPath, ['scripts/schema.js', '--check'], { cwd: root, stdio: 'pipe' });
});

describe('the JSON Schema', () => {
  const schema = JSON.parse(read('schema/workflow.schema.json'));

  it('describes every key', () => {
    const bare = [...keysOf(schema)].filter(
      ([key, value]) => value.description === undefined && value.$ref === undefined && key !== 'steps',
    );
    expect(bare.map(([key]) => key)).toEqual([]);
  });

  it('has no key that is missing in the reference', () => {
    const page = read('docs/workflow-reference.md');
    expect(
      [...keysOf(schema).keys()].filter((key) => !page.includes(`\`${key}\``) && !page.includes(`.${key}\``)),
    ).toEqual([]);
  });
});

describe('the reference', () => {
  const examples = [...read('docs/workflow-reference.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
    (match) => match[1] ?? '',
  );

  it.each(examples.map((text, index) => [index + 1, text] as const))('has a valid example %i', (_, text) => {
    const workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-reference-'));
    try {
      fs.writeFileSync(path.join(workspace, 'flow.yaml'), text);
      const loaded = loadWorkflow(workspace, 'flow.yaml');
      const found = loaded.type === 'ok' ? loaded.value.warnings : loaded.error;
      expect(renderDiagnostics(found, { color: false })).toBe('');
    } finally {
      fs.rmSync(workspace, { recursive: true, force: true });
    }
  });
});
