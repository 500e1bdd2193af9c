import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LoadOptions, loadWorkflow } from '../../../src/workflow/load/load-workflow.ts';

let workspace = '';
beforeEach(() => {
  workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-load-'));
});
afterEach(() => fs.rmSync(workspace, { recursive: true, force: true }));

function write(name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
  fs.writeFileSync(path.join(workspace, name), text);
}

function loaded(name: string, options: LoadOptions = {}) {
  const result = loadWorkflow(workspace, name, options);
  if (result.type === 'error') throw new Error(result.error.map(({ message }) => message).join('\n'));
  return result.value;
}

const SMALL = 'steps:\n  - name: A\n    command: ["true"]\n';

it('returns the same checksum as sha256sum', () => {
  write('flow.yaml', SMALL);
  expect(loaded('flow.yaml').checksum).toBe(createHash('sha256').update(SMALL).digest('hex'));
});

it('changes the checksum when a called file changes', () => {
  write('flow.yaml', 'steps:\n  - name: C\n    call: {workflow: parts/b.yaml}\n');
  write('parts/b.yaml', SMALL);
  const before = loaded('flow.yaml');
  write('parts/b.yaml', `${SMALL}# changed\n`);
  expect(loaded('flow.yaml').checksum).not.toBe(before.checksum);
  expect(before.sources.map(({ file }) => file)).toEqual(['flow.yaml', 'parts/b.yaml']);
});

it('reads a file that is called twice only once', () => {
  write(
    'flow.yaml',
    'steps:\n  - {name: A, call: {workflow: b.yaml}}\n  - {name: B, call: {workflow: ./b.yaml}}\n',
  );
  write('b.yaml', SMALL);
  const { sources, definition } = loaded('flow.yaml');
  expect(sources.map(({ file }) => file)).toEqual(['flow.yaml', 'b.yaml']);
  const [first, second] = definition.steps;
  expect(first?.type === 'call' && first.workflow.file).toBe('b.yaml');
  expect(second?.type === 'call' && second.workflow.file).toBe('b.yaml');
});

it('accepts an absolute path, and names the file relative to the workspace', () => {
  write('flows/ship.yaml', SMALL);
  const { definition, sources } = loaded(path.join(workspace, 'flows/ship.yaml'));
  expect(definition.file).toBe('flows/ship.yaml');
  expect(definition.name).toBe('ship');
  expect(sources.map(({ file }) => file)).toEqual(['flows/ship.yaml']);
});

it('treats a missing context key as an error only if all keys are known', () => {
  write('flow.yaml', 'steps:\n  - name: A\n    command: ["echo", "${context.who}"]\n');
  expect(loaded('flow.yaml').warnings.map(({ code }) => code)).toEqual(['template/unknown-context']);
  expect(loaded('flow.yaml', { context: { who: 'x' } }).warnings).toEqual([]);
  expect(loadWorkflow(workspace, 'flow.yaml', { context: {} }).type).toBe('error');
});

it('keeps keys like __proto__ as plain data', () => {
  write('flow.yaml', `context:\n  __proto__: {polluted: true}\n${SMALL}`);
  const { context } = loaded('flow.yaml').definition;
  expect(Object.getPrototypeOf(context)).toBe(null);
  expect(Object.keys(context)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
});

it('returns a definition that survives JSON', () => {
  const folder = path.join(import.meta.dirname, '../../workflows/ok');
  const result = loadWorkflow(folder, 'everything.yaml');
  if (result.type === 'error') throw new Error('it did not load');
  const { definition } = result.value;
  expect(JSON.stringify(JSON.parse(JSON.stringify(definition)))).toBe(JSON.stringify(definition));
});

it.each([
  ['ship', 'cannot be read', 'did you mean `ship.yaml`?'],
  ['shpi.yml', 'cannot be read', 'did you mean `ship.yaml`?'],
  ['flows/buidl.yaml', 'cannot be read', 'did you mean `flows/build.yml`?'],
  ['flows', 'is a folder, not a workflow file', 'workflows there: `flows/build.yml`'],
  ['.', '`.` is a folder, not a workflow file', 'workflows there: `a.yaml`, `ship.yaml`'],
  ['something-else.yaml', 'cannot be read', 'workflows there: `a.yaml`, `ship.yaml`'],
  ['nowhere/ship.yaml', 'cannot be read', undefined],
  ['gone.yaml', 'cannot be read', undefined],
])('%s is not a workflow, and the error suggests others', (name, message, help) => {
  for (const file of ['a.yaml', 'ship.yaml', 'flows/build.yml', 'notes.txt']) write(file, SMALL);
  if (name === 'gone.yaml') fs.symlinkSync('moved-away.yaml', path.join(workspace, name));
  const result = loadWorkflow(workspace, name);
  const [problem] = result.type === 'error' ? result.error : [];
  expect(problem?.message).toContain(message);
  expect(problem?.help).toBe(help);
});
