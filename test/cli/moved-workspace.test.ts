/** The folder of a run is moved, replaced or removed while the run works in it. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Ended, type Started, until, Workspace } from '../rig/orchestrate.ts';

const WAIT = `{name: Wait, command: [sh, -c, "echo begun >> begun.log; until [ -e go ]; do sleep 0.05; done"]}`;

interface Project {
  readonly outer: Workspace;
  readonly before: string;
  readonly after: string;
  readonly run: Started;
  call(folder: string, argv: readonly string[]): Promise<Ended>;
}

/** A run in its step `Wait`, in a folder inside the test's own folder. */
async function begun(steps: string): Promise<Project> {
  const outer = new Workspace({
    'before/work.yaml': `name: work\nproviders: {mock: {adapter: mock}}\nsteps: [${steps}]\n`,
    'before/prompt.txt': 'Do it.\n',
  });
  const at = (name: string) => path.join(outer.folder, name);
  const via = (folder: string) => ({ via: ['env', '-C', folder] });
  const run = outer.start(['run', 'work.yaml'], via(at('before')));
  await until(() => outer.has('before/begun.log'));
  return {
    ...{ outer, run, before: at('before'), after: at('after') },
    call: (folder, argv) => outer.run(argv, via(folder)),
  };
}

/** The run failed and reported the new location; resumed there, it does the rest and repeats nothing. */
async function expectResumedThere({ outer, before, after, run, call }: Project): Promise<void> {
  const { exitCode, stderr } = await run.ended;
  expect(stderr).toContain(
    `\`${before}\` was moved to \`${after}\` while the run was using it; no further steps were started. Resume the run there, or move it back`,
  );
  expect(exitCode).toBe(1);
  expect((await call(after, ['runs'])).stdout).toMatch(/ failed /);
  expect((await call(after, ['show', 'last'])).stdout).toContain(`was moved to \`${after}\``);
  const resumed = await call(after, ['resume', 'last', '--quiet']);
  expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(outer.read('after/begun.log')).toBe('begun\n');
  expect((await call(after, ['doctor', 'last'])).stdout).toContain('the journal is intact');
}

it.each([
  ['a command', '{name: Next, command: [sh, -c, "echo next | tee -a next.log"]}'],
  ['an agent', '{name: Next, provider: mock, input_file: prompt.txt}'],
])(
  'starts nothing more if the folder was moved before %s, and recreates nothing in its place',
  async (_, next) => {
    const project = await begun(`${WAIT}, ${next}`);
    const { outer, before, after, run } = project;
    fs.renameSync(before, after);
    outer.write({ 'after/go': '' });
    await run.ended;
    expect(fs.existsSync(before)).toBe(false);
    expect(outer.has('after/next.log')).toBe(false);
    await expectResumedThere(project);
    expect(fs.existsSync(before)).toBe(false);
  },
);

it('is not completed if the folder was moved during its last step', async () => {
  const project = await begun(WAIT);
  fs.renameSync(project.before, project.after);
  project.outer.write({ 'after/go': '' });
  await expectResumedThere(project);
  expect(fs.existsSync(project.before)).toBe(false);
});

it('retries a step whose output could not be stored in the moved folder', async () => {
  const project = await begun(WAIT.replace('done', 'done; echo printed'));
  const { outer, before, after, run, call } = project;
  fs.renameSync(before, after);
  outer.write({ 'after/go': '' });
  expect((await run.ended).exitCode).toBe(1);
  expect(fs.existsSync(before)).toBe(false);
  expect((await call(after, ['resume', 'last', '--quiet'])).exitCode).toBe(0);
  expect(outer.read('after/begun.log')).toBe('begun\nbegun\n');
});

it('writes nothing to a folder that replaced its own', async () => {
  const project = await begun(`${WAIT}, {name: Next, command: [sh, -c, "echo next >> next.log"]}`);
  const { outer, before, after } = project;
  fs.renameSync(before, after);
  outer.write({ 'before/work.yaml': 'other\n', 'after/go': '' });
  await expectResumedThere(project);
  expect(fs.readdirSync(before)).toEqual(['work.yaml']);
});

it('is not completed if its own folder was removed', async () => {
  const { outer, before, run } = await begun(`${WAIT}, {name: Next, command: [echo, next]}`);
  fs.rmSync(path.join(before, '.orchestrate'), { recursive: true });
  outer.write({ 'before/go': '' });
  const { exitCode, stderr } = await run.ended;
  expect(stderr).toContain('was moved, replaced or removed while the run was using it');
  expect(exitCode).toBe(1);
  expect(outer.has('before/.orchestrate')).toBe(false);
});
