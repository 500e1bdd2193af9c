import { describe, expect, it } from 'vitest';
import { type Json, SessionWorkspace, task } from './rig.ts';

function order(workspace: SessionWorkspace): readonly (string | undefined)[] {
  return workspace.prompts().map(({ prompt }) => /^Work on the task (\S+):/.exec(prompt)?.[1]);
}

async function begun(...tasks: readonly Json[]): Promise<SessionWorkspace> {
  const workspace = new SessionWorkspace();
  await workspace.begin(tasks);
  return workspace;
}

describe('ids of other versions of the original tool', () => {
  it('in lower case are valid, shown and executed, and new tasks continue them', async () => {
    const workspace = await begun(task('impl-2', { context: { depends_on: ['impl-1'] } }), task('impl-1'));
    expect((await workspace.ok(['task', 'validate'])).stderr).toMatch(/2 tasks are valid\n$/);
    expect(JSON.parse((await workspace.ok(['task', 'show', 'impl-2'])).stdout)).toMatchObject({
      ...{ id: 'impl-2', context: { depends_on: ['impl-1'] } },
    });
    expect((await workspace.ok(['session', 'status'])).stdout).toContain(
      '  ○ impl-2  Do impl-2  waiting for impl-1\n',
    );
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(order(workspace)).toEqual(['impl-1', 'impl-2']);
    expect(workspace.task('impl-2')['status']).toBe('completed');
    expect((await workspace.ok(['task', 'create', '--title', 'One more'])).stdout).toBe('impl-3\n');
    expect((await workspace.ok(['task', 'create', '--title', 'Part', '--parent', 'impl-3'])).stdout).toBe(
      'impl-3.1\n',
    );
  });

  it('of a test-first chain are executed in the order of their dependencies', async () => {
    const workspace = await begun(
      task('REFACTOR-1.1', { context: { depends_on: ['IMPL-1.1'] } }),
      task('IMPL-1.1', { context: { depends_on: ['TEST-1.1'] } }),
      task('TEST-1.1'),
    );
    expect((await workspace.ok(['task', 'validate'])).stderr).toMatch(/3 tasks are valid\n$/);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(order(workspace)).toEqual(['TEST-1.1', 'IMPL-1.1', 'REFACTOR-1.1']);
  });

  it('with another word are continued with that word', async () => {
    const workspace = await begun(task('TASK-001'), task('TASK-009'));
    expect((await workspace.ok(['task', 'create', '--title', 'One more'])).stdout).toBe('TASK-010\n');
  });

  it('with a word at the end are main tasks between two others, found by their number alone', async () => {
    const workspace = await begun(
      task('IMPL-001'),
      task('IMPL-002', { context: { depends_on: ['IMPL-001', 'IMPL-001.5'] } }),
    );
    workspace.putTask(
      task('IMPL-001.5', { context: { parent: undefined, depends_on: ['IMPL-001'] } }),
      'IMPL-001.5-review.json',
    );
    const checked = await workspace.ok(['task', 'validate']);
    expect(checked.stderr).toContain('is `IMPL-001.5`, but the file is named `IMPL-001.5-review.json`');
    expect(checked.stderr).toContain('it is read as `IMPL-001.5-review`');
    expect(checked.stderr).toMatch(/3 tasks are valid\n$/);
    const env = workspace.standInClaude(
      'return prompt.startsWith("Work on the task IMPL-001.5-review") ? { approach: "reviewed with care" } : {};',
    );
    await workspace.ok(['execute'], { env });
    expect(order(workspace)).toEqual(['IMPL-001', 'IMPL-001.5-review', 'IMPL-002']);
    expect(workspace.prompts()[2]?.prompt).toContain('reviewed with care');
    expect(workspace.task('IMPL-001.5-review')['status']).toBe('completed');
  });

  it('in two forms of the same number are duplicates', async () => {
    const workspace = await begun(task('impl-1'), task('IMPL-001'));
    const checked = await workspace.run(['task', 'validate']);
    expect(checked.exitCode).toBe(2);
    expect(checked.stderr).toContain('task/duplicate-id');
  });

  it('that could leave the folder or become an option stay refused', async () => {
    const workspace = await begun(task('IMPL-1'));
    for (const id of ['../IMPL-1', 'IMPL-1/../../x', '-1', 'IMPL-1.1.1', 'IMPL-', 'IMPL 1', 'x-1'])
      expect((await workspace.run(['task', 'show', '--', id])).exitCode, id).not.toBe(0);
  });

  it('and titles may be missing: a name, the first line of a description or, for a container, nothing is enough', async () => {
    const untitled = (id: string, more: Json): Json => {
      const { title: _title, ...rest } = task(id);
      return { ...rest, ...more };
    };
    const workspace = await begun(
      untitled('IMPL-1', { name: 'Sign tokens' }),
      untitled('IMPL-2', { status: 'container' }),
      untitled('IMPL-2.1', { description: 'Write it down.\nIn full.' }),
    );
    expect((await workspace.ok(['task', 'validate'])).stderr).toMatch(/3 tasks are valid\n$/);
    expect((await workspace.run(['task', 'validate', '--strict'])).exitCode).toBe(2);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(workspace.prompts().map(({ prompt }) => prompt.split('\n', 1)[0])).toEqual([
      'Work on the task IMPL-1: Sign tokens',
      'Work on the task IMPL-2.1: Write it down.',
    ]);
  });

  it('may be missing: the file name counts, also when the task is executed', async () => {
    const workspace = await begun();
    const { id: _id, ...unnamed } = task('IMPL-1');
    workspace.putTask(unnamed, 'IMPL-1.json');
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
  });
});

describe('steps before the implementation, as the original tool writes them', () => {
  const step = (command: string, more: Json = {}): Json => ({
    step: 'look',
    action: 'Look',
    command,
    output_to: 'found',
    on_error: 'fail',
    ...more,
  });
  const withSteps = (...pre_analysis: readonly Json[]): Json =>
    task('IMPL-1', { flow_control: { pre_analysis } });

  it('that search and find nothing have an empty result, and do not fail', async () => {
    const workspace = await begun(
      withSteps(
        step("bash(grep -rn 'nowhere; to be (found)' .workflow --include=*.txt)", { step: 'a' }),
        step("bash(find . -name '*.none' | grep x 2>/dev/null)", { step: 'b' }),
      ),
    );
    const ended = await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(ended.stdout + ended.stderr).not.toContain('✗');
  });

  it.each([
    ['a quiet search is a check', 'bash(grep -q nowhere .workflow/*)'],
    ['a search that cannot be done fails', 'bash(grep nowhere no-such-file)'],
    ['a search that is only a part of a script fails', 'bash(grep nowhere /dev/null; exit 1)'],
  ])('%s', async (_title, command) => {
    const workspace = await begun(withSteps(step(command)));
    const ended = await workspace.run(['execute'], { env: workspace.standInClaude() });
    expect(ended.exitCode).toBe(1);
    expect(workspace.task('IMPL-1')['status']).toBe('blocked');
  });

  it('read long files without keeping the next command from starting', async () => {
    const workspace = await begun(
      withSteps(step('Read(long.txt)', { step: 'read' }), step('bash(echo short)', { output_to: 'word' })),
    );
    workspace.write({ 'long.txt': 'line of text\n'.repeat(40_000) });
    const ended = await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect(ended.stdout + ended.stderr).not.toContain('✗');
    expect(workspace.prompts()[0]?.prompt).toContain('short');
  });

  it('read the context package that the document names, and leave wishes to the agent', async () => {
    const workspace = await begun({
      ...withSteps(
        step('Read({{context_package_path}})', { step: 'package' }),
        step("Read(notes.json | jq '.goals')", { output_to: 'goals' }),
      ),
      context_package_path: 'package.json',
    });
    workspace.write({ 'package.json': '{"name": "of the package"}\n' });
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    const prompt = workspace.prompts()[0]?.prompt ?? '';
    expect(prompt).toContain('"name": "of the package"');
    expect(prompt).toContain("- Look: `Read(notes.json | jq '.goals')`");
  });
});

describe('an archived session', () => {
  it('opens although the tool that archived it left files where it was', async () => {
    const workspace = await begun(task('IMPL-1', { status: 'completed' }));
    await workspace.ok(['session', 'complete']);
    workspace.write({ '.workflow/active/WFS-work/.summaries/IMPL-1-summary.md': 'left behind\n' });
    const listed = await workspace.ok(['session', 'list']);
    expect(listed.stderr).toBe('');
    expect(listed.stdout).toMatch(/WFS-work +completed +1\/1/);
    expect((await workspace.ok(['task', 'list', '--session', 'WFS-work'])).stdout).toContain('IMPL-1');
  });
});
