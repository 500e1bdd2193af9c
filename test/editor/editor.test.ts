/** What people see in their editor, with the real yaml-language-server and the shipped schema. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackages } from '../real-clis/install.ts';
import { EDITOR_FOLDER, LanguageServer } from './language-server.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const EXAMPLES = fs
  .readdirSync(path.join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .sort();
/** Examples name the published schema, which is the file of this package: the test has no network. */
const PUBLISHED = '$schema=https://unpkg.com/orchestrate-run/schema/workflow.schema.json';
const LOCAL = `$schema=${path.join(ROOT, 'schema/workflow.schema.json')}`;
/** Drafts are in this folder. */
const DRAFT = path.join(ROOT, 'examples/hello');
const MODELINE = '# yaml-language-server: $schema=../../schema/workflow.schema.json\n';

let server: LanguageServer;
let home = '';

beforeAll(async () => {
  await installPackages(EDITOR_FOLDER);
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-editor-'));
  server = new LanguageServer(home);
  await server.start();
}, 15 * 60_000);
afterAll(() => {
  server.stop();
  fs.rmSync(home, { recursive: true, force: true });
});

/** `‸` is the cursor. */
async function offered(name: string, text: string): Promise<ReadonlyMap<string, string>> {
  const lines = `${MODELINE}${text}`.split('\n');
  const line = lines.findIndex((each) => each.includes('‸'));
  const character = lines[line]?.indexOf('‸') ?? 0;
  const file = path.join(DRAFT, name);
  await server.open(file, lines.join('\n').replace('‸', ''));
  const items = await server.complete(file, { line, character });
  return new Map(items.map(({ label, documentation }) => [label, documentation]));
}

it.each(EXAMPLES)('the example %s has no mistake', async (name) => {
  const file = path.join(ROOT, 'examples', name);
  const text = fs.readFileSync(file, 'utf8');
  if (path.dirname(name) === path.basename(name, '.yaml')) expect(text).toContain(PUBLISHED);
  expect(await server.open(file, text.replace(PUBLISHED, LOCAL))).toEqual([]);
});

describe('an editor', () => {
  it('offers the keys of a workflow, with their descriptions', async () => {
    const keys = await offered('top.yaml', 'name: draft\n‸\nsteps:\n  - {name: A, command: [ls]}\n');
    expect([...keys.keys()]).toEqual(
      expect.arrayContaining(['description', 'inputs', 'env', 'defaults', 'providers', 'finally', 'outputs']),
    );
    expect(keys.get('inputs')).toContain('The values a run needs, by name');
    expect(keys.get('defaults')).toContain('Values for steps that do not set them.');
  });

  it('offers the keys of a step, of an input and of `defaults`', async () => {
    const step = await offered('step.yaml', 'steps:\n  - name: A\n    provider: claude\n    ‸\n');
    for (const key of [
      'prompt',
      'allowed_tools',
      'denied_tools',
      'mcp_servers',
      'description',
      'working_dir',
    ])
      expect(step.get(key), key).toMatch(/\w/);
    const input = await offered(
      'input.yaml',
      'inputs:\n  issue:\n    ‸\nsteps:\n  - {name: A, command: [ls]}\n',
    );
    expect([...input.keys()].sort()).toEqual(['choices', 'default', 'description', 'required', 'type']);
    const defaults = await offered('defaults.yaml', 'defaults:\n  ‸\nsteps:\n  - {name: A, command: [ls]}\n');
    expect([...defaults.keys()]).toEqual(expect.arrayContaining(['timeout_sec', 'retries', 'permissions']));
  });

  it('explains the key under the pointer', async () => {
    const lines = `${MODELINE}steps:
  - name: A
    for_each:
      items: [a, b]
      max_parallel: 2
      steps:
        - {name: B, allow_failure: true, command: [ls]}
`.split('\n');
    const file = path.join(DRAFT, 'hover.yaml');
    await server.open(file, lines.join('\n'));
    const explained = (key: string): Promise<string> => {
      const line = lines.findIndex((each) => each.includes(key));
      return server.hover(file, { line, character: (lines[line]?.indexOf(key) ?? 0) + 1 });
    };
    expect(await explained('for_each')).toContain('Runs steps for each item of a list');
    expect(await explained('max_parallel')).toContain('The number of items processed at once');
    expect(await explained('allow_failure')).toContain('A failure of the step is recorded');
  });

  it('underlines a wrong key, a wrong value and a step without work', async () => {
    const text = `${MODELINE}inputs:
  issue: {type: numbr}
steps:
  - name: A
    command: [ls]
    tiemout_sec: 3
  - name: B
`;
    const findings = await server.open(path.join(DRAFT, 'wrong.yaml'), text);
    expect(findings.map(({ line }) => line)).toEqual(expect.arrayContaining([3, 7, 8]));
    expect(findings.find(({ line }) => line === 7)?.message).toContain('tiemout_sec');
  });

  it('accepts keys that start with `x-`, merged anchors, and a prompt whose agent is a default', async () => {
    const text = `${MODELINE}x-common: &common {retries: 1, x-why: flaky}
defaults: {provider: claude}
providers:
  own: {command: [own], input_mode: stdin, exit_codes: {7: rate-limited, "8": auth}}
steps:
  - <<: *common
    name: Ask
    prompt: Review it.
`;
    expect(await server.open(path.join(DRAFT, 'anchors.yaml'), text)).toEqual([]);
  });
});
