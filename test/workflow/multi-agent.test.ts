/** Realistic workflows: agents that pass work to each other through folders. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

/** A fake agent: repeats its prompt, and writes the file that the prompt names. */
const CLAUDE = `#!/bin/sh
echo "asked: $2 with $4"
case "$2" in
  Implement*) mkdir -p artifacts/engineer; echo "code" > "artifacts/engineer/impl_$(ls artifacts/engineer | grep -c impl).py" ;;
  Design*) mkdir -p artifacts/architect; echo "the design" > artifacts/architect/system_design.md ;;
esac
`;

const PROVIDER = `providers:
  claude:
    command: ["./claude", "-p", "\${PROMPT}", "--model", "\${model}"]
    defaults:
      model: "claude-sonnet-4-20250514"
`;

function workspaceWith(files: { readonly [name: string]: string }): Workspace {
  const workspace = new Workspace({ claude: CLAUDE, ...files });
  fs.chmodSync(path.join(workspace.folder, 'claude'), 0o755);
  return workspace;
}

const INBOX = `name: "multi_agent_feature_dev"
strict_flow: true
${PROVIDER}
steps:
  - name: CheckEngineerInbox
    command: ["find", "inbox/engineer", "-name", "*.task", "-type", "f"]
    output_capture: "lines"
    on:
      success:
        goto: ProcessEngineerTasks
      failure:
        goto: NoTasks

  - name: ProcessEngineerTasks
    for_each:
      items_from: "steps.CheckEngineerInbox.lines"
      as: task_file
      on_item_complete:
        success: {move_to: "processed/\${run.timestamp_utc}_\${loop.index}"}
      steps:
        - name: ImplementWithClaude
          agent: "engineer"
          provider: "claude"
          provider_params:
            model: "claude-opus-4-1-20250805"
          input_file: "\${task_file}"
          output_file: "artifacts/engineer/execution_log_\${loop.index}.md"

        - name: WriteStatus
          command: ["echo", '{"success": true, "task": "\${task_file}"}']
          output_file: "artifacts/engineer/status_\${loop.index}.json"
          output_capture: "json"

        - name: CreateQATask
          when:
            equals:
              left: "\${steps.WriteStatus.json.success}"
              right: "true"
          command: ["bash", "-c", "
            mkdir -p inbox/qa &&
            echo 'Review impl_\${loop.index}.py' > inbox/qa/review_\${loop.index}.tmp &&
            mv inbox/qa/review_\${loop.index}.tmp inbox/qa/review_\${loop.index}.task
          "]

  - name: NoTasks
    command: ["echo", "No pending tasks"]
    on:
      success:
        goto: _end
`;

describe('agents that work with folders', () => {
  it('take the tasks of an inbox one by one and create tasks for the next agent', async () => {
    const workspace = workspaceWith({
      'w.yaml': INBOX,
      'inbox/engineer/login.task': 'Implement the login.',
      'inbox/engineer/logout.task': 'Implement the logout.',
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const items = workspace.state().for_each['ProcessEngineerTasks']?.items as readonly string[];
    expect([...items].sort()).toEqual(['inbox/engineer/login.task', 'inbox/engineer/logout.task']);
    for (const [index, item] of items.entries()) {
      const asked = item.includes('login') ? 'Implement the login.' : 'Implement the logout.';
      expect(workspace.read(`artifacts/engineer/execution_log_${index}.md`)).toBe(
        `asked: ${asked} with claude-opus-4-1-20250805\n`,
      );
      expect(JSON.parse(workspace.read(`artifacts/engineer/status_${index}.json`))).toEqual({
        success: true,
        task: item,
      });
    }
    expect(workspace.list('inbox/engineer')).toEqual([]);
    expect(workspace.list('inbox/qa')).toEqual(['review_0.task', 'review_1.task']);
    expect(workspace.read('inbox/qa/review_1.task')).toBe('Review impl_1.py\n');
    const stamp = workspace.runs()[0]?.slice(0, 16);
    expect(workspace.list('processed').filter((name) => name.endsWith('.task'))).toEqual(
      items.map((item, index) => `${stamp}_${index}/${path.basename(item)}`),
    );
    expect(workspace.step('NoTasks').output).toBe('No pending tasks\n');
  });

  it('find nothing to do in an empty or missing inbox', async () => {
    const workspace = workspaceWith({ 'w.yaml': INBOX, 'inbox/engineer/.keep': '' });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.state().steps['ProcessEngineerTasks']).toEqual([]);
    workspace.remove('inbox');
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('CheckEngineerInbox')).toMatchObject({ status: 'failed', exit_code: 1 });
    expect(workspace.state().steps).not.toHaveProperty('ProcessEngineerTasks');
  });

  it('pass a design to the other in a task that is composed during the run', async () => {
    const workspace = workspaceWith({
      'prompts/architect/design.md': 'Design the system.',
      'inbox/engineer/.keep': '',
      'w.yaml': `${PROVIDER}
steps:
  - name: ArchitectDesign
    agent: "architect"
    provider: "claude"
    input_file: "prompts/architect/design.md"
    output_file: "artifacts/architect/log.md"

  - name: PrepareEngineerTask
    command: ["bash", "-c", "
      echo 'Implement the following designs:' > inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      echo '' >> inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      cat artifacts/architect/system_*.md >> inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      mv inbox/engineer/task_\${run.timestamp_utc}.tmp inbox/engineer/task_\${run.timestamp_utc}.task
    "]

  - name: EngineerImplement
    agent: "engineer"
    provider: "claude"
    input_file: "inbox/engineer/task_\${run.timestamp_utc}.task"
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('EngineerImplement').output).toBe(
      'asked: Implement the following designs:\n\nthe design\n with claude-sonnet-4-20250514\n',
    );
    expect(workspace.read('artifacts/architect/log.md')).toBe(
      'asked: Design the system. with claude-sonnet-4-20250514\n',
    );
    expect(workspace.list('artifacts/engineer')).toEqual(['impl_0.py']);
  });

  it('wait for each other: one run answers the request of the other', async () => {
    const workspace = workspaceWith({
      'ask.yaml': `steps:
  - {name: Ask, command: [bash, -c, "mkdir -p inbox/qa; echo 'Look at it.' > inbox/qa/q.tmp && mv inbox/qa/q.tmp inbox/qa/q.task"]}
  - {name: Wait, wait_for: {glob: "inbox/engineer/replies/*.task", timeout_sec: 60, poll_ms: 100}}
  - name: Read
    for_each: {items_from: steps.Wait.files, steps: [{name: Reply, command: [cat], input_file: "\${item}"}]}
`,
      'answer.yaml': `steps:
  - {name: Wait, wait_for: {glob: "inbox/qa/*.task", timeout_sec: 60, poll_ms: 100}}
  - {name: Answer, command: [bash, -c, "mkdir -p inbox/engineer/replies; sed s/Look/Looked/ -- \\"$0\\" > r.tmp && mv r.tmp inbox/engineer/replies/r.task", "\${steps.Wait.files.0}"]}
`,
    });
    const [asked, answered] = await Promise.all([
      workspace.run(['run', 'ask.yaml']),
      workspace.run(['run', 'answer.yaml']),
    ]);
    expect([asked, answered]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    const runId = workspace.runs().find((id) => 'Read' in workspace.state(id).steps);
    expect(workspace.iterations('Read', runId).map(({ Reply }) => Reply?.output)).toEqual([
      'Looked at it.\n',
    ]);
  });
});
