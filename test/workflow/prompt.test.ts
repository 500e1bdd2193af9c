import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';

const providers = `providers:
  cat: {command: [cat], input_mode: stdin}
  mock: {adapter: mock, script: {answer: "about {prompt}"}}
`;

/** What the agent of a step was sent. */
function promptOf(workspace: Workspace, step: string, runId?: string): string {
  const folder = path.join(workspace.runFolder(runId), 'prompts');
  const name = fs.readdirSync(folder).find((each) => each.includes(`-${step}`));
  return fs.readFileSync(path.join(folder, name ?? ''), 'utf8');
}

/** About 100 KB, with everything that a template, a shell or JSON could trip over. */
const DIFF = Array.from({ length: 2000 }, (_, at) => `+ line ${at}: \${context.who} $(id) "ä€"`).join('\n');

const review = `${providers}context: {who: "O'Brien", tags: [a, "b c"], deep: {n: 1}}
steps:
  - {name: Diff, command: [bash, -c, "echo x >> diffs; cat diff.txt"]}
  - name: Review
    provider: mock
    prompt: |
      You are \${context.who}. Cost: $5, $\${HOME}, {"json": true}
      \${steps.Diff.output}
      Tags: \${context.tags}
    cache: {}
`;

describe('`prompt`', () => {
  it('is substituted, and contains a diff of 100 KB completely', async () => {
    const workspace = new Workspace({ 'w.yaml': review, 'diff.txt': `${DIFF}\n` });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Diff')).toMatchObject({ truncated: true });
    expect(promptOf(workspace, 'Review')).toBe(
      `You are O'Brien. Cost: $5, \${HOME}, {"json": true}\n${DIFF}\nTags: [\n  "a",\n  "b c"\n]\n`,
    );
  });

  it('finds the complete output in a fork, in `run-step`, in a replay and after a resume', async () => {
    const workspace = new Workspace({ 'w.yaml': review, 'diff.txt': DIFF });
    const ofRun = async (argv: readonly string[]) => {
      expect(await workspace.run(argv)).toMatchObject({ exitCode: 0 });
      return [promptOf(workspace, 'Review').includes(DIFF), countOf(workspace, 'diffs')];
    };
    const part = { 'w.yaml': review.replace('    cache: {}\n', '') };
    workspace.write(part);
    expect(await ofRun(['run', 'w.yaml', '--record'])).toEqual([true, 1]);
    const [first = ''] = workspace.runs();
    expect(await ofRun(['fork', first, '--from', 'Review'])).toEqual([true, 1]);
    const flags = ['--workflow', 'w.yaml', '--from-run', first];
    expect(await ofRun(['run-step', 'Review', ...flags])).toEqual([true, 1]);
    expect(await ofRun(['run', 'w.yaml', '--replay', first])).toEqual([true, 2]);
    workspace.write({
      'w.yaml': part['w.yaml'].replace('provider: mock', 'retries: 0\n    command_override: ["false"]'),
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    workspace.write(part);
    expect(await ofRun(['resume', 'last', '--accept-changes'])).toEqual([true, 3]);
  });

  it('is part of the cache key with the complete output, whichever run printed it', async () => {
    const workspace = new Workspace({ 'w.yaml': review, 'diff.txt': DIFF });
    const isCached = async () => {
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
      return workspace.step('Review').decisions !== undefined;
    };
    expect(await isCached()).toBe(false);
    expect(await isCached()).toBe(true);
    // Only the end differs, beyond what the record keeps.
    workspace.write({ 'diff.txt': `${DIFF} changed` });
    expect(await isCached()).toBe(false);
    workspace.write({ 'w.yaml': review.replace('You are', 'Be') });
    expect(await isCached()).toBe(false);
  });

  it('contains complete lines, complete answers of agents, and results as readable JSON', async () => {
    const workspace = new Workspace({
      'w.yaml': `${providers}steps:
  - {name: Lines, command: [bash, -c, "seq 1 12000 | sed 's/$/\\r/'"], output_capture: lines}
  - {name: Answer, provider: cat, input_file: diff.txt}
  - {name: Data, command: [echo, '{"a": [1, 2]}'], output_capture: json}
  - name: Ask
    provider: mock
    prompt: "\${steps.Lines.lines}|\${steps.Lines.lines.1}|\${steps.Answer.output}|\${steps.Data.json}|\${steps.Data.json.a.1}"
`,
      'diff.txt': `${DIFF}\n`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const numbers = Array.from({ length: 12_000 }, (_, at) => `${at + 1}`).join('\n');
    expect(promptOf(workspace, 'Ask')).toBe(`${numbers}|2|${DIFF}|{\n  "a": [\n    1,\n    2\n  ]\n}|2`);
  });

  it('takes at most 1 MiB, and names `depends_on.inject` otherwise', async () => {
    const workspace = new Workspace({
      'w.yaml': `${providers}steps:
  - {name: Big, command: [printf, "%1048577d", "1"]}
  - {name: Half, command: [printf, "%600000d", "1"]}
  - {name: One, provider: mock, prompt: "\${steps.Big.output}", on: {failure: {goto: Two}}}
  - {name: Two, provider: mock, prompt: "\${steps.Half.output}\${steps.Half.output}", on: {failure: {goto: Ok}}}
  - {name: Ok, provider: mock, prompt: "\${steps.Half.output}"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const instead =
      'and a prompt takes at most 1048576 (1 MiB): write it to a file (`output_file`) and add that file to the prompt with `depends_on.inject`';
    expect(workspace.step('One')).toMatchObject({
      exit_code: 2,
      error: { message: `\`steps.Big.output\` has 1048577 bytes, ${instead}` },
    });
    expect(workspace.step('Two').error?.message).toBe(
      `the values of the prompt have 1200000 bytes, ${instead}`,
    );
    expect(promptOf(workspace, 'Ok')).toHaveLength(600_000);
  });

  it('does not use a log that is gone or incomplete, as after a power loss', async () => {
    const workspace = new Workspace({
      'w.yaml': review.replace('[bash, -c, "echo x >> diffs; cat diff.txt"]', '[bash, cut.sh]'),
      'diff.txt': DIFF,
      'cut.sh': 'cat diff.txt',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const [first = ''] = workspace.runs();
    const log = path.join(workspace.runFolder(first), 'logs', 'Diff.stdout');
    fs.truncateSync(log, 20_000);
    expect(await workspace.run(['fork', first, '--from', 'Review'])).toMatchObject({ exitCode: 1 });
    const size = Buffer.byteLength(DIFF);
    expect(workspace.step('Review').error?.message).toBe(
      `the complete \`steps.Diff.output\` cannot be read: \`logs/Diff.stdout\` of run ${first} has 20000 of ${size} bytes; run that step again (a cached result: with \`--no-cache\`)`,
    );
    fs.rmSync(log);
    expect(await workspace.run(['fork', first, '--from', 'Review'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Review').error?.message).toContain('does not exist any more');
  });

  it('is masked like every prompt', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Print, command: [bash, -c, "echo $TOKEN; seq 1 5000; echo $TOKEN"], secrets: [TOKEN]}
  - {name: Ask, provider: mock, prompt: "\${steps.Print.output}"}
`,
    });
    const env = { TOKEN: 'secret-of-this-test' };
    expect(await workspace.run(['run', 'w.yaml'], { env })).toMatchObject({ exitCode: 0 });
    expect(promptOf(workspace, 'Ask')).toMatch(/^\*\*\*\n1\n(?:.*\n)*5000\n\*\*\*$/);
    expect(
      workspace
        .list('')
        .filter(
          (name) =>
            !fs.statSync(path.join(workspace.folder, name)).isDirectory() &&
            workspace.read(name).includes(env.TOKEN),
        ),
    ).toEqual([]);
  });

  it('is shown by a dry run, with the names of results that are not known yet', async () => {
    const workspace = new Workspace({ 'w.yaml': review, 'diff.txt': DIFF });
    expect(await workspace.run(['run', 'w.yaml', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Review').decisions).toEqual([
      `dry run: would ask \`mock\`:\nYou are O'Brien. Cost: $5, \${HOME}, {"json": true}\n\${steps.Diff.output}\nTags: [\n  "a",\n  "b c"\n]`,
    ]);
  });

  it('fails on an undefined variable before the agent starts', async () => {
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Data, command: [echo, "{}"], output_capture: json}
  - {name: Ask, provider: mock, prompt: "\${steps.Data.json.a} \${steps.Data.json.b:-none}"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Ask')).toMatchObject({
      exit_code: 2,
      error: { context: { undefined_vars: ['steps.Data.json.a'] } },
    });
  });
});

describe('a prompt file', () => {
  it('is sent as written, and `validate` and `run` warn about variables in it', async () => {
    const workspace = new Workspace({
      'w.yaml': 'context: {who: me}\nsteps:\n  - {name: Ask, provider: mock, input_file: p.md}\n',
      'p.md': 'echo ${HOME} ${who}\n',
    });
    const warning =
      'warning[environment/variable-in-prompt-file]: prompt file `p.md` of step `Ask` contains `${who}`, but files are sent as written';
    const validated = await workspace.run(['validate', 'w.yaml']);
    expect(validated.exitCode).toBe(0);
    expect(validated.stderr + validated.stdout).toContain(warning);
    const ran = await workspace.run(['run', 'w.yaml']);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining(warning)]);
    expect(promptOf(workspace, 'Ask')).toBe('echo ${HOME} ${who}\n');
    workspace.write({ 'p.md': 'echo ${HOME} `${name}`\n' });
    expect((await workspace.run(['run', 'w.yaml'])).stderr).not.toContain('warning');
  });
});
