import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';

const yaml = `providers:
  p: {command: [bash, -c, "cat; echo x >> called; echo; echo answer $(wc -l < called)"], input_mode: stdin}
steps:
  - {name: Ask, provider: p, input_file: p.md, output_file: out.md}
  - name: Loop
    for_each: {items: [a, b], steps: [{name: Each, provider: p, input_file: p.md}]}
  - {name: Say, command: [echo, "\${steps.Ask.output}"]}
`;

describe('`--record` and `--replay`', () => {
  it('store agent calls and replay them without an agent', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'p.md': 'Do it.' });
    expect(await workspace.run(['run', 'w.yaml', '--record'])).toMatchObject({ exitCode: 0 });
    const [first = ''] = workspace.runs();
    expect(countOf(workspace, 'called')).toBe(3);
    const cassettes = path.join(workspace.runFolder(first), 'cassettes');
    expect(fs.readdirSync(cassettes).sort()).toEqual(['Ask.jsonl', 'Loop.0.Each.jsonl', 'Loop.1.Each.jsonl']);
    workspace.remove('out.md');

    expect(await workspace.run(['run', 'w.yaml', '--replay', first])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'called')).toBe(3);
    expect(workspace.read('out.md')).toBe('Do it.\nanswer 1\n');
    expect(workspace.step('Say').output).toBe('Do it.\nanswer 1\n');
    expect(workspace.iterations('Loop').map(({ Each }) => Each?.output)).toEqual([
      ...['Do it.\nanswer 2\n', 'Do it.\nanswer 3\n'],
    ]);

    fs.cpSync(cassettes, path.join(workspace.folder, 'kept'), { recursive: true });
    expect(await workspace.run(['run', 'w.yaml', '--replay', 'kept'])).toMatchObject({ exitCode: 0 });
    expect(countOf(workspace, 'called')).toBe(3);
  });

  it('mark a replayed run in every view; it costs nothing', async () => {
    const workspace = new Workspace({
      'p.md': 'x',
      'w.yaml': `providers: {m: {adapter: mock, script: {cost_usd: 0.5, usage: {input_tokens: 30, output_tokens: 20}}}}
steps:
  - {name: Ask, provider: m, input_file: p.md}
`,
    });
    await workspace.run(['run', 'w.yaml', '--record']);
    const [first = ''] = workspace.runs();
    const replayed = await workspace.run(['run', 'w.yaml', '--replay', first]);
    expect(replayed.stderr).toContain(`started: w, replayed from ${first}\n`);
    expect(workspace.state()).toMatchObject({
      replayed_from: first,
      totals: { cost_usd: 0, tokens: { input: 0, output: 0 } },
      steps: { Ask: { cost_usd: 0 } },
    });
    const view = async (...argv: string[]) => (await workspace.run(argv)).stdout;
    expect(await view('runs')).toContain('workflow (replayed)');
    expect(JSON.parse(await view('runs', '--json'))[0]).toMatchObject({ replayed_from: first });
    expect(await view('show', 'last')).toContain(`workflow w (w.yaml), replayed from ${first}\n`);
    expect(await view('report', 'last', '--format', 'md')).toContain(first);
    expect(JSON.parse(await view('report', 'last', '--format', 'json')).run).toMatchObject({
      replayed_from: first,
    });
    expect(workspace.state(first)).not.toHaveProperty('replayed_from');
  });

  it('store calls of a fork or restart in its own folder, and keep the first recording unchanged', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'p.md': 'Do it.' });
    await workspace.run(['run', 'w.yaml', '--record']);
    const [first = ''] = workspace.runs();
    const cassettes = (run: string) => path.join(workspace.runFolder(run), 'cassettes');
    const before = fs.readFileSync(path.join(cassettes(first), 'Ask.jsonl'));

    expect(await workspace.run(['resume', first, '--force-restart'])).toMatchObject({ exitCode: 0 });
    const again = workspace.runs().at(-1) ?? '';
    expect(await workspace.run(['fork', first, '--from', 'Loop'])).toMatchObject({ exitCode: 0 });
    const fork = workspace.runs().at(-1) ?? '';
    const all = ['Ask.jsonl', 'Loop.0.Each.jsonl', 'Loop.1.Each.jsonl'];
    expect(fs.readdirSync(cassettes(again)).sort()).toEqual(all);
    expect(fs.readdirSync(cassettes(fork)).sort()).toEqual(all.slice(1));
    expect(fs.readFileSync(path.join(cassettes(first), 'Ask.jsonl'))).toEqual(before);
  });

  it.each([
    ['a command', 'p'],
    ['the mock agent', 'mock'],
  ])('need no secret to replay %s; a real run does', async (_what, provider) => {
    const step = `{name: Ask, provider: ${provider}, input_file: p.md, secrets: [DEPLOY_KEY], retries: 0}`;
    const workspace = new Workspace({
      'w.yaml': yaml.replace(/steps:.*/s, `steps: [${step}]\n`),
      'p.md': 'Do it.',
    });
    const env = { DEPLOY_KEY: 'secret-of-this-test' };
    expect(await workspace.run(['run', 'w.yaml', '--record'], { env })).toMatchObject({ exitCode: 0 });
    const [first = ''] = workspace.runs();
    const replayed = await workspace.run(['run', 'w.yaml', '--replay', first]);
    expect(replayed).toMatchObject({ exitCode: 0 });
    expect(replayed.stderr).not.toContain('DEPLOY_KEY');
    expect(workspace.step('Ask')).toMatchObject({ outcome: 'done' });
    expect(await workspace.run(['run', 'w.yaml', '--dry-run'])).toMatchObject({ exitCode: 0 });
    const real = await workspace.run(['run', 'w.yaml']);
    expect(real).toMatchObject({ exitCode: 1 });
    expect(real.stderr).toContain('\n  Ask: secret not set in the environment: `DEPLOY_KEY`\n');
  });

  it('detect a changed prompt, unless allowed, and a missing cassette', async () => {
    const workspace = new Workspace({ 'w.yaml': yaml, 'p.md': 'Do it.' });
    await workspace.run(['run', 'w.yaml', '--record']);
    const [first = ''] = workspace.runs();
    workspace.write({ 'p.md': 'Do something else.' });
    expect(await workspace.run(['run', 'w.yaml', '--replay', first])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Ask')).toMatchObject({ exit_code: 2, outcome: 'replay-mismatch' });
    expect(await workspace.run(['run', 'w.yaml', '--replay', first, '--replay-loose'])).toMatchObject({
      exitCode: 0,
    });
    fs.rmSync(path.join(workspace.runFolder(first), 'cassettes', 'Loop.1.Each.jsonl'));
    expect(await workspace.run(['run', 'w.yaml', '--replay', first, '--replay-loose'])).toMatchObject({
      exitCode: 1,
    });
    const nothing = await workspace.run(['run', 'w.yaml', '--replay', 'nowhere']);
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      2,
      'error: no cassettes found in `nowhere`\nhelp: use a run made with `--record`, or a folder of cassettes\n',
    ]);
  });
});
