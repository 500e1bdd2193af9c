import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SessionWorkspace, task } from './rig.ts';

/** A task as an agent writes it. */
function planned(id: string, more: { readonly [name: string]: unknown } = {}) {
  return {
    id,
    title: `Build ${id}`,
    meta: { type: 'feature' },
    context: { requirements: ['r'], focus_paths: [`src/${id}`], acceptance: [], depends_on: [], ...more },
    flow_control: { implementation_approach: { task_description: 'build it' } },
  };
}

/** Gives the answers in order, then repeats the last one. */
function answering(...answers: readonly unknown[]): string {
  return `
    const counter = folder + '/count';
    const n = fs.existsSync(counter) ? Number(fs.readFileSync(counter, 'utf8')) : 0;
    fs.writeFileSync(counter, String(n + 1));
    const answers = ${JSON.stringify(answers)};
    return { raw: answers[Math.min(n, answers.length - 1)] };`;
}

describe('plan --from', () => {
  it('reports a malformed id once, with its location', async () => {
    const workspace = new SessionWorkspace({
      'tasks.json': JSON.stringify({
        tasks: [
          { id: 'IMPL-1x', title: 'A' },
          { id: 7, title: 'B' },
        ],
      }),
    });
    const { exitCode, stderr } = await workspace.run(['plan', '--from', 'tasks.json']);
    expect(exitCode).toBe(2);
    expect(stderr.split('\n').filter((line) => line.startsWith('error'))).toEqual([
      'error[task/malformed-id]: `tasks[0].id` must have the form `IMPL-N` or `IMPL-N.M`, not `IMPL-1x`',
      'error[task/malformed-id]: `tasks[1].id` must be a string',
    ]);
    expect(workspace.has('.workflow')).toBe(false);
  });

  it('adds subtasks to a container but not to a completed task', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-001', { status: 'completed' }),
      task('IMPL-002', { status: 'container' }),
      task('IMPL-002.1', { status: 'completed', context: { parent: 'IMPL-002' } }),
    ]);
    const part = (parent: string) => JSON.stringify({ tasks: [{ title: 'Part', context: { parent } }] });
    workspace.write({ 'closed.json': part('IMPL-001'), 'open.json': part('IMPL-002') });
    const refused = await workspace.run(['plan', '--from', 'closed.json']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      'error[task/closed-parent]: `tasks[0]` belongs to `IMPL-001`, which is completed and can no longer be decomposed\n',
    );
    expect(workspace.task('IMPL-001')['status']).toBe('completed');
    expect((await workspace.ok(['plan', '--from', 'open.json'])).stdout).toBe('IMPL-002.2\n');
  });

  it('imports tasks without an agent, assigns ids and fills in missing parts', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-3')]);
    workspace.write({
      'tasks.json': JSON.stringify({
        overview: 'All of it.',
        requirements: ['fast'],
        tasks: [
          { title: 'Review the design' },
          { id: 'IMPL-10', title: 'Ten', context: { depends_on: ['IMPL-3'], ticket: 7 }, owner: 'Ada' },
          { id: 'IMPL-10.1', title: 'Part', status: 'completed' },
          { title: 'Another part', context: { parent: 'IMPL-10' } },
        ],
      }),
    });
    const taken = await workspace.ok(['plan', '--from', 'tasks.json']);
    expect(taken.stdout).toBe('IMPL-11\nIMPL-10\nIMPL-10.1\nIMPL-10.2\n');
    expect(workspace.task('IMPL-11')).toEqual({
      title: 'Review the design',
      id: 'IMPL-11',
      status: 'pending',
      meta: { type: 'feature', agent: 'review-agent' },
      context: { requirements: [], focus_paths: [], acceptance: [], depends_on: [], shared_context: {} },
      flow_control: { pre_analysis: [], implementation_approach: {}, target_files: [] },
    });
    expect(workspace.task('IMPL-10')).toMatchObject({
      status: 'container',
      owner: 'Ada',
      context: { ticket: 7 },
    });
    expect(workspace.read('.workflow/WFS-work/IMPL_PLAN.md')).toContain('## Overview\nAll of it.');
    expect(workspace.read('.workflow/WFS-work/IMPL_PLAN.md')).toContain('## Requirements\n- fast');
    expect(workspace.read('.workflow/WFS-work/IMPL_PLAN.md')).toContain('  IMPL_3 --> IMPL_10\n');
    await workspace.ok(['task', 'validate']);
  });

  it('imports all tasks or none, and reports errors with their location in the file', async () => {
    const workspace = new SessionWorkspace();
    const tasks = [planned('IMPL-1'), planned('IMPL-2', { depends_on: ['IMPL-9'] }), planned('IMPL-2')];
    workspace.write({ 'tasks.json': JSON.stringify({ tasks }, null, 1) });
    const refused = await workspace.run(['plan', '--from', 'tasks.json']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      'error[task/missing-dependency]: `tasks[1].context.depends_on[0]` names `IMPL-9`, which does not exist\n  --> tasks.json:',
    );
    expect(refused.stderr).toContain('error[task/duplicate-id]: `tasks[2].id` is `IMPL-2`');
    expect(workspace.has('.workflow')).toBe(false);
    workspace.write({ 'tasks.json': JSON.stringify({ tasks: tasks.slice(0, 1) }) });
    const started = await workspace.ok(['plan', '--from', 'tasks.json']);
    expect(started.stderr).toBe('no session was active: started `WFS-tasks`\n');
    expect(workspace.list('.workflow/WFS-tasks/.task')).toEqual(['IMPL-1.json']);
  });

  it('rejects a subtask that depends on a task that depends on its parent', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1', { context: { depends_on: ['IMPL-2'] } }), task('IMPL-2')]);
    workspace.write({
      'tasks.json': JSON.stringify({ tasks: [planned('IMPL-2.1', { depends_on: ['IMPL-1'] })] }),
    });
    const refused = await workspace.run(['plan', '--from', 'tasks.json']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      'error[task/dependency-cycle]: `tasks[0].context.depends_on[0]` has a circular dependency: `IMPL-2.1` → `IMPL-1` → `IMPL-2` → `IMPL-2.1`\n',
    );
    expect(workspace.list('.workflow/WFS-work/.task')).toEqual(['IMPL-1.json', 'IMPL-2.json']);
  });

  it('handles a chain of many thousands of tasks', async () => {
    const workspace = new SessionWorkspace();
    const tasks = Array.from({ length: 12_000 }, (_, index) => ({
      id: `IMPL-${index + 1}`,
      title: 'Next',
      context: { depends_on: index === 11_999 ? [] : [`IMPL-${index + 2}`] },
    }));
    workspace.write({ 'tasks.json': JSON.stringify({ tasks: [...tasks, { id: 'IMPL-12001' }] }) });
    const refused = await workspace.run(['plan', '--from', 'tasks.json']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('missing field `title`');
    expect(refused.stderr).toContain('\n1 error in tasks.json\n');
  });

  it('finishes an import that a killed process left half done', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    const adding = '.workflow/WFS-work/.task/.adding';
    workspace.write({
      [`${adding}/IMPL-1.json`]: JSON.stringify(task('IMPL-1')),
      [`${adding}/IMPL-2.json`]: JSON.stringify(task('IMPL-2')),
      '.workflow/WFS-work/.task/.incoming-abc/IMPL-9.json': JSON.stringify(task('IMPL-9')),
    });
    await workspace.ok(['views']);
    expect(workspace.list('.workflow/WFS-work/.task').filter((name) => !name.startsWith('.'))).toEqual([
      'IMPL-1.json',
      'IMPL-2.json',
    ]);
    expect(workspace.has(adding)).toBe(false);
  });

  it('removes no task from `.adding` before all of them are durably in place', async () => {
    const workspace = new SessionWorkspace({
      'tasks.json': JSON.stringify({
        tasks: [planned('IMPL-1'), planned('IMPL-1.1', { parent: 'IMPL-1' }), planned('IMPL-2')],
      }),
    });
    await workspace.begin();
    const trace = path.join(workspace.folder, 'trace');
    const folder = path.join(workspace.folder, '.workflow/WFS-work/.task');
    await workspace.ok(['plan', '--from', 'tasks.json'], {
      env: {
        NODE_OPTIONS: `--require=${path.resolve('proof/rig/record-disk.cjs')}`,
        RECORD_DISK: JSON.stringify({ folder, trace }),
      },
    });
    const steps = workspace
      .read('trace')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly path: string })
      .map(({ kind, path: place }) => `${kind} ${place}`);
    const placed = steps.findLastIndex((step) => step.startsWith('link .adding/'));
    const removed = steps.findIndex((step) => step.startsWith('unlink .adding/'));
    expect(steps.filter((step) => step.startsWith('link .adding/'))).toHaveLength(3);
    expect(steps.slice(placed, removed)).toContain('sync .');
  });

  it('reads tasks correctly when a killed process had moved a subtask before its parent', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    const parent = '.workflow/WFS-work/.task/.adding/IMPL-1.json';
    workspace.write({
      [parent]: JSON.stringify(task('IMPL-1')),
      '.workflow/WFS-work/.task/IMPL-1.1.json': JSON.stringify({
        ...task('IMPL-1.1'),
        context: { parent: 'IMPL-1' },
      }),
    });
    await workspace.ok(['task', 'validate']);
    expect(JSON.parse((await workspace.ok(['task', 'list', '--json'])).stdout)).toMatchObject([
      { id: 'IMPL-1', status: 'container' },
      { id: 'IMPL-1.1' },
    ]);
    expect(workspace.has(parent)).toBe(true);
  });
});

describe('plan by an agent', () => {
  const request = 'Add "login"; see $(HOME) and `x`\nwith JWT';

  it('gives the agent the request, file tree and rules, and sends a wrong answer back with the findings', async () => {
    const workspace = new SessionWorkspace({ 'src/app.ts': '', 'README.md': '' });
    workspace.initGit();
    const env = workspace.standInClaude(
      answering(
        {
          tasks: [
            planned('IMPL-1', { focus_paths: ['src/*'] }),
            planned('IMPL-2', { depends_on: ['IMPL-5'] }),
          ],
        },
        { overview: 'Login.', tasks: [planned('IMPL-1'), planned('IMPL-2', { depends_on: ['IMPL-1'] })] },
      ),
    );
    const made = await workspace.ok(['plan', request], { env });
    expect(made.stdout).toBe('IMPL-1\nIMPL-2\n');
    const [first, second] = workspace.prompts();
    expect(first?.prompt).toContain(request);
    expect(first?.prompt).toContain('README.md\nsrc/app.ts\n');
    expect(first?.prompt).not.toContain('was rejected');
    expect(second?.prompt).toContain(
      '- tasks[0].context.focus_paths[0]: names `src/*`, which contains a wildcard',
    );
    expect(second?.prompt).toContain(
      '- tasks[1].context.depends_on[0]: names `IMPL-5`, which does not exist',
    );
    const id = 'WFS-add-login-see-home-and-x';
    expect(workspace.session(id)).toMatchObject({ request, overview: 'Login.' });
    expect(workspace.planningCost(id)).toBe(0.02);
    expect(workspace.list(`.workflow/${id}/.task`)).toEqual(['IMPL-1.json', 'IMPL-2.json']);
  });

  it('gives up after the third answer, with no task written; the session still has the cost', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    const env = workspace.standInClaude(
      answering({ tasks: [planned('IMPL-1', { depends_on: ['IMPL-1'] })] }),
    );
    workspace.write({ 'request.md': 'Do it' });
    const failed = await workspace.run(['plan', '--file', 'request.md'], { env });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('has a circular dependency');
    expect(workspace.prompts()).toHaveLength(3);
    expect(workspace.list('.workflow/WFS-work/.task')).toEqual([]);
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('  cost: $0.0300\n');
    expect((await workspace.run(['resume', 'last'], { env })).exitCode).toBe(1);
    expect(workspace.planningCost()).toBe(0.06);
  });

  it('decomposes a task into the proposed subtasks', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1', { title: 'Big one' })]);
    const part = (id: string) => planned(id, { parent: 'IMPL-1' });
    const env = workspace.standInClaude(
      answering(
        { tasks: [part('IMPL-1.1'), planned('IMPL-2')] },
        { tasks: [part('IMPL-1.1'), part('IMPL-1.2')] },
      ),
    );
    const made = await workspace.ok(['task', 'decompose', 'IMPL-1'], { env });
    expect(made.stdout).toBe('IMPL-1.1\nIMPL-1.2\n');
    expect(workspace.prompts()[0]?.prompt).toContain('"title": "Big one"');
    expect(workspace.prompts()[1]?.prompt).toContain('`IMPL-2` is not a subtask of `IMPL-1`');
    expect(workspace.task('IMPL-1')['status']).toBe('container');
  });

  it('reads an issue from a file or from standard input', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin();
    const env = workspace.standInClaude(
      answering({ tasks: [planned('IMPL-1')] }, { tasks: [planned('IMPL-2')] }),
    );
    workspace.write({ issue: 'It crashes' });
    const byFile = await workspace.ok(['plan', '--issue', path.join(workspace.folder, 'issue')], { env });
    expect(byFile.stdout).toBe('IMPL-1\n');
    const input = `# It "hangs"\n\n${'\u2192 again\n'.repeat(20_000)}`;
    const piped = await workspace.ok(['plan', '--issue', '-'], { env, input });
    expect(piped.stdout).toBe('IMPL-2\n');
    expect(workspace.prompts().map(({ prompt }) => prompt)).toEqual([
      expect.stringContaining('It crashes'),
      expect.stringContaining(input.trimEnd()),
    ]);
    const nothing = await workspace.run(['plan', '--issue', '-'], { env, input: ' \n' });
    expect(nothing).toMatchObject({ exitCode: 2, stderr: 'error: the request is empty\n' });
  });

  it('can use a custom command, which gets everything in its prompt', async () => {
    const workspace = new SessionWorkspace({ '.claude/agents/planning-agent.md': 'You plan small.\n' });
    await workspace.begin();
    workspace.standIn(
      'my planner',
      `#!/bin/bash\ncat > "$PWD/.stand-ins/told"\necho '${JSON.stringify({ tasks: [planned('IMPL-1')] })}'\n`,
    );
    const made = await workspace.ok([
      'plan',
      request,
      '--agent',
      `'${workspace.folder}/.stand-ins/my planner' -v`,
    ]);
    expect(made.stdout).toBe('IMPL-1\n');
    const told = workspace.read('.stand-ins/told');
    expect(told.startsWith('You plan small.\n')).toBe(true);
    expect(told).toContain(request);
    expect(told).toContain('"minItems": 1');
    const refused = await workspace.run(['plan', request, '--agent', 'plan | sort']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('`|` in `plan | sort` needs a shell, but none is used');
  });
});
