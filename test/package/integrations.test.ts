/** The GitHub Action, the hook of pre-commit, the container and the development container. Their scripts are run; images are read as text. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BINARY, Workspace } from '../rig/orchestrate.ts';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const text = (name: string): string => fs.readFileSync(path.join(ROOT, name), 'utf8');
const { name: packageName, engines } = JSON.parse(text('package.json'));

interface ActionStep {
  readonly name: string;
  readonly shell: string;
  readonly run: string;
  readonly env?: { readonly [name: string]: string };
}

const action = parse(text('action.yml'));
const steps: readonly ActionStep[] = action.runs.steps;

/** A workspace with `orchestrate` on its PATH, and an `npm` that writes down its arguments. */
function runner(files: { readonly [name: string]: string }): Workspace {
  const workspace = new Workspace({
    ...files,
    'bin/orchestrate': `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`,
    'bin/npm': `#!/bin/sh\nprintf '%s\\n' "$@" > npm-arguments\n`,
  });
  for (const name of ['orchestrate', 'npm']) fs.chmodSync(path.join(workspace.folder, 'bin', name), 0o755);
  return workspace;
}

/** As the runner of GitHub Actions starts it. */
function runStep(workspace: Workspace, name: string, env: { readonly [name: string]: string }) {
  const step = steps.find((each) => each.name === name);
  workspace.write({ 'script.sh': step?.run ?? '' });
  const at = (file: string): string => path.join(workspace.folder, file);
  const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', 'script.sh'], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: {
      PATH: `${at('bin')}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: workspace.folder,
      GITHUB_OUTPUT: at('output'),
      GITHUB_STEP_SUMMARY: at('summary.md'),
      CI: 'true',
      ...env,
    },
  });
  return { exitCode: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

const GREETS = `name: greets
inputs:
  who: {default: world}
steps:
  - {name: Say, command: [echo, "hello \${context.who}"]}
`;

describe('the GitHub Action', () => {
  it('gives inputs to its scripts only as variables', () => {
    expect(action.runs.using).toBe('composite');
    for (const step of steps) {
      expect(step.shell).toBe('bash');
      expect(step.run, step.name).not.toContain('${{');
    }
    const used = steps.flatMap((step) =>
      [...JSON.stringify(step).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name),
    );
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort());
  });

  it('installs the package', () => {
    const workspace = runner({});
    expect(runStep(workspace, 'Install', { VERSION: '0.1.0; touch x' })).toMatchObject({ exitCode: 0 });
    expect(workspace.read('npm-arguments').trimEnd().split('\n')).toEqual([
      'install',
      '--global',
      '--no-audit',
      '--no-fund',
      `${packageName}@0.1.0; touch x`,
    ]);
    expect(workspace.has('x')).toBe(false);
  });

  it('marks mistakes in the lines of the workflow', () => {
    const workspace = runner({ 'bad.yaml': 'name: bad\nsteps:\n  - {name: A, comand: [ls]}\n' });
    const checked = runStep(workspace, 'Check', { WORKFLOW: 'bad.yaml' });
    expect(checked.exitCode).toBe(2);
    expect(checked.stdout).toMatch(/^::error file=bad\.yaml,line=3,/m);
  });

  it('runs the workflow with its arguments, and writes the summary of the job', () => {
    const workspace = runner({ 'greets.yaml': GREETS });
    const ran = runStep(workspace, 'Run', {
      WORKFLOW: 'greets.yaml',
      ARGUMENTS: '--context\nwho=you and $(touch x)\n',
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
    expect(workspace.step('Say').output).toBe('hello you and $(touch x)\n');
    expect(workspace.has('x')).toBe(false);
    const [run = ''] = workspace.runs();
    expect(workspace.read('output')).toBe(`run-id=${run}\n`);
    expect(runStep(workspace, 'Summarize', { RUN: run })).toMatchObject({ exitCode: 0 });
    expect(workspace.read('summary.md')).toMatch(/^# \S+ greets: completed\n/);
  });

  it.each([
    [
      'fails',
      '{name: A, command: ["false"]}',
      1,
      '::error title=Orchestrate::the run ended with exit code 1\n',
    ],
    [
      'waits',
      '{name: A, approve: {message: "ok?"}}',
      3,
      '::warning title=Orchestrate::the run is waiting for an answer\n',
    ],
  ])('says so if the run %s', (name, step, exitCode, stdout) => {
    const workspace = runner({ 'one.yaml': `name: ${name}\nsteps:\n  - ${step}\n` });
    const ran = runStep(workspace, 'Run', { WORKFLOW: 'one.yaml', ARGUMENTS: '' });
    expect(ran).toMatchObject({ exitCode, stdout });
    expect(workspace.read('output')).toBe(`run-id=${workspace.runs()[0]}\n`);
  });

  it('names no run if none was started, even if there is an older one', () => {
    const workspace = runner({ 'greets.yaml': GREETS });
    runStep(workspace, 'Run', { WORKFLOW: 'greets.yaml', ARGUMENTS: '' });
    workspace.remove('output');
    const ran = runStep(workspace, 'Run', { WORKFLOW: 'greets.yaml', ARGUMENTS: '--no-such-option' });
    expect(ran.exitCode).toBe(2);
    expect(workspace.read('output')).toBe('run-id=none\n');
  });
});

describe('the hook of pre-commit', () => {
  const [hook] = parse(text('.pre-commit-hooks.yaml'));

  it('selects workflow files', () => {
    const selects = {
      test: (file: string) => new RegExp(hook.files).test(file) && !new RegExp(hook.exclude).test(file),
    };
    for (const file of [
      'workflows/a.yaml',
      'x/workflows/b.yml',
      'ship.orchestrate.yaml',
      'x/y.orchestrate.yml',
    ])
      expect(selects.test(file), file).toBe(true);
    for (const file of ['a.yaml', '.github/workflows/ci.yaml', 'workflows/a.md', 'myworkflows/a.yaml'])
      expect(selects.test(file), file).toBe(false);
  });

  it('checks them', async () => {
    const [program, ...argv] = hook.entry.split(' ');
    expect([program, hook.language]).toEqual(['orchestrate', 'node']);
    const workspace = new Workspace({ 'good.yaml': GREETS, 'bad.yaml': 'name: bad\n' });
    expect(await workspace.run([...argv, 'good.yaml'])).toMatchObject({ exitCode: 0 });
    expect(await workspace.run([...argv, 'good.yaml', 'bad.yaml'])).toMatchObject({ exitCode: 2 });
  });
});

describe('the container', () => {
  it('installs the package on a Node that it supports, runs as a user, and reaps processes', () => {
    const dockerfile = text('Dockerfile');
    expect(Number(/^FROM node:(\d+)-/m.exec(dockerfile)?.[1])).toBeGreaterThanOrEqual(22);
    expect(engines.node).toContain('>=22');
    expect(dockerfile).toContain(`"${packageName}@\${VERSION}"`);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '')).toEqual([
      'tini',
      '--',
      'orchestrate',
    ]);
    expect(dockerfile).toMatch(/apt-get install .*\btini\b/);
  });

  it('for development has an init process and installs what the tests need', () => {
    const container = JSON.parse(text('.devcontainer/devcontainer.json'));
    expect(container).toMatchObject({ init: true, postCreateCommand: expect.stringMatching(/npm ci$/) });
    const needed = [...text('.ci/run').matchAll(/missing\+=\(([\w-]+)\)/g)].map(([, name]) => name ?? '');
    expect(needed.length).toBeGreaterThan(1);
    for (const name of needed) expect(container.postCreateCommand).toContain(name);
  });
});
