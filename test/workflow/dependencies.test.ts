import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const provider = 'providers:\n  cat: {command: [cat], input_mode: stdin}\n';

describe('`depends_on`', () => {
  it('fails a step with exit code 2 if a required glob has no match, before anything starts', async () => {
    const workspace = new Workspace({
      'docs/a.md': '',
      'w.yaml': `context: {ext: txt}
steps:
  - name: X
    command: [touch, made]
    depends_on: {required: ["docs/*.md", "docs/*.\${context.ext}", "other/**"], optional: ["no/*"]}
    on: {failure: {goto: Y}}
  - name: Y
    command: [echo, "\${steps.X.exit_code}"]
    depends_on: {required: ["docs/*.md"], optional: ["no/*"]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X')).toMatchObject({
      status: 'failed',
      exit_code: 2,
      outcome: 'missing-dependencies',
      error: {
        message: 'missing dependency: no file matches `docs/*.txt`, `other/**`',
        context: { failed_deps: ['docs/*.txt', 'other/**'] },
      },
    });
    expect(workspace.step('Y').output).toBe('2\n');
    expect(workspace.has('made')).toBe(false);
  });

  it('is checked just before its step, so files of earlier steps count', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Write, command: [echo, x], output_file: out/made.md}
  - {name: Read, command: ["true"], depends_on: {required: ["out/*.md"]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  });

  it('inserts names or contents before or after the prompt, in byte order, and does not change the file', async () => {
    const step = (name: string, inject: string) =>
      `  - {name: ${name}, provider: cat, input_file: p.md, depends_on: {required: ["d/*"], optional: ["e/*", "none/*"], inject: ${inject}}}\n`;
    const workspace = new Workspace({
      'p.md': 'The prompt.\n',
      'd/Z.md': 'zed\n',
      'd/a.md': 'ay\n',
      'd/ä.md': 'umlaut\n',
      'e/x.md': 'ex\n',
      'w.yaml': `${provider}steps:
${step('List', 'true')}${step('Append', '{mode: list, position: append, instruction: "See these:"}')}${step('Content', '{mode: content}')}${step('None', '{mode: none}')}${step('Off', 'false')}`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const list = '- d/Z.md\n- d/a.md\n- d/ä.md\n- e/x.md';
    expect(workspace.step('List').output).toBe(`These files belong to the task:\n${list}\n\nThe prompt.\n`);
    expect(workspace.step('Append').output).toBe(`The prompt.\n\n\nSee these:\n${list}`);
    const content = workspace.step('Content').output ?? '';
    for (const text of ['zed', 'ay', 'umlaut', 'ex']) expect(content).toContain(text);
    expect(content.indexOf('zed')).toBeLessThan(content.indexOf('ay'));
    expect(content.endsWith('The prompt.\n')).toBe(true);
    expect(workspace.step('None').output).toBe('The prompt.\n');
    expect(workspace.step('Off').output).toBe('The prompt.\n');
    expect(workspace.read('p.md')).toBe('The prompt.\n');
    expect(workspace.step('List').debug?.['injection']).toEqual({
      ...{ mode: 'list', files: 4, truncated: false },
      bytes: Buffer.byteLength(`These files belong to the task:\n${list}`),
    });
  });

  it('injects at most 262,144 bytes, never splitting a character, and records what was truncated', async () => {
    const workspace = new Workspace({
      'p.md': 'The prompt.\n',
      'd/a.md': `${'€'.repeat(50_000)}\n`,
      'd/b.md': `x${'€'.repeat(50_000)}\n`,
      'd/c.md': 'never seen\n',
      'w.yaml': `${provider}steps:
  - {name: X, provider: cat, input_file: p.md, output_file: out.md, depends_on: {required: ["d/*"], inject: {mode: content}}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const sent = fs.readFileSync(path.join(workspace.folder, 'out.md'));
    const injected = sent.length - Buffer.byteLength('\n\nThe prompt.\n');
    expect(injected).toBeLessThanOrEqual(262_144);
    expect(injected).toBeGreaterThan(262_000);
    expect(sent.toString('utf8')).not.toContain('\ufffd');
    expect(sent.toString('utf8')).not.toContain('never seen');
    expect(workspace.step('X').debug?.['injection']).toMatchObject({ truncated: true });
  });
});

describe('a value in a glob', () => {
  const NAMES = ['app/[slug]/page.tsx', 'app/{a,b}/x*.ts', 'app/what?.ts', 'app/back\\slash.ts'];

  it('is literal in every key that takes a glob', async () => {
    const workspace = new Workspace({
      ...Object.fromEntries(NAMES.map((name) => [name, `this is ${name}\n`])),
      ...{ 'app/l/page.tsx': 'another\n', 'app/a/xy.ts': 'another\n', 'app/whats.ts': 'another\n' },
      'p.md': 'Review.\n',
      'w.yaml': `${provider}steps:
  - name: Each
    for_each:
      items: ${JSON.stringify(NAMES)}
      steps:
        - name: Review
          provider: cat
          input_file: p.md
          depends_on: {required: ["\${item}"], inject: {mode: content}}
          expect: {files: ["\${item}"]}
          cache: {inputs: ["\${item}"]}
        - {name: Look, command: ["true"], when: {exists: "\${item}"}}
        - {name: Wait, wait_for: {glob: "\${item}", timeout_sec: 5}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const items = workspace.iterations('Each');
    for (const [index, name] of NAMES.entries()) {
      expect(items[index]?.['Review']?.output).toContain(`this is ${name}`);
      expect(items[index]?.['Review']?.output).not.toContain('another');
      expect(items[index]?.['Look']?.status).toBe('completed');
      expect(items[index]?.['Wait']?.files).toEqual([name]);
    }
  });

  it('does not match the file that its characters would match as a glob', async () => {
    const workspace = new Workspace({
      'app/l/page.tsx': 'one\n',
      'w.yaml': `context: {file: "app/[slug]/page.tsx"}
steps:
  - {name: Exists, command: ["true"], when: {exists: "\${context.file}"}}
  - {name: Wait, wait_for: {glob: "\${context.file}", timeout_sec: 0.1}, allow_failure: true}
  - {name: Expect, command: ["true"], expect: {files: ["\${context.file}"]}, allow_failure: true}
  - {name: Cache, command: [bash, -c, "echo x >> made"], cache: {inputs: ["\${context.file}"]}}
`,
    });
    const run = async () => expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    await run();
    expect(workspace.step('Exists').status).toBe('skipped');
    expect(workspace.step('Wait').status).toBe('failed');
    expect(workspace.step('Expect').status).toBe('failed');
    workspace.write({ 'app/l/page.tsx': 'two\n' });
    await run();
    expect(workspace.read('made')).toBe('x\n');
    workspace.write({ 'app/[slug]/page.tsx': 'one\n' });
    await run();
    expect(workspace.read('made')).toBe('x\nx\n');
  });

  it('is shown unescaped if no file matches', async () => {
    const workspace = new Workspace({
      'app/l/page.tsx': '',
      'w.yaml': `context: {file: "app/[slug]/page.tsx"}
steps:
  - {name: X, command: ["true"], depends_on: {required: ["\${context.file}"]}}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('X').error?.message).toBe(
      'missing dependency: no file matches `app/[slug]/page.tsx`',
    );
  });
});
