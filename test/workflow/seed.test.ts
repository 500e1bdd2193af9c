/** The workflows of the original specification, as printed there, with fake agents on the PATH: `docs/seed-workflows.md`. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, Workspace } from '../rig/orchestrate.ts';

/** Repeats its prompt and model; a prompt that starts with `Create` writes the design that it names. */
const CLAUDE = `#!/bin/sh
echo "asked: $2"
[ "$3" != --model ] || echo "model: $4"
case "$2" in Create*) mkdir -p artifacts/architect; echo "the design" > artifacts/architect/system_design.md ;; esac
`;

function workspaceWith(files: { readonly [name: string]: string }): Workspace {
  const programs = {
    'bin/claude': CLAUDE,
    'bin/gemini': CLAUDE,
    'bin/npm': '#!/bin/sh\necho "$LOG_LEVEL $1 $2 with $GITHUB_TOKEN"\n',
  };
  const workspace = new Workspace({ ...programs, ...files });
  for (const name of Object.keys(programs)) fs.chmodSync(path.join(workspace.folder, name), 0o755);
  return workspace;
}

function run(workspace: Workspace, argv: readonly string[] = []): Promise<Ended> {
  const env = { PATH: `${workspace.folder}/bin:${process.env['PATH']}`, GITHUB_TOKEN: 'token-of-a-test' };
  return workspace.run(['run', 'w.yaml', ...argv], { env });
}

const CLAUDE_TEMPLATE = `providers:
  claude:
    command: ["claude", "-p", "\${PROMPT}", "--model", "\${model}"]
    defaults:
      model: "claude-sonnet-4-20250514"  # Options: claude-opus-4-1-20250805
`;

const MOVE = `
        - name: MoveToProcessed
          command: ["mv", "\${task_file}", "processed/\${run.timestamp_utc}_\${loop.index}/"]
`;

const FEATURE = `name: "multi_agent_feature_dev"
strict_flow: true

${CLAUDE_TEMPLATE}
steps:
  # Check for pending engineer tasks
  - name: CheckEngineerInbox
    command: ["find", "inbox/engineer", "-name", "*.task", "-type", "f"]
    output_capture: "lines"
    on:
      success:
        goto: ProcessEngineerTasks
      failure:
        goto: NoTasks

  # Process each task
  - name: ProcessEngineerTasks
    for_each:
      items_from: "steps.CheckEngineerInbox.lines"
      as: task_file
      steps:
        - name: ImplementWithClaude
          agent: "engineer"
          provider: "claude"
          provider_params:
            model: "claude-sonnet-4-20250514"
          input_file: "\${task_file}"  # task_file is already a full path from find
          output_file: "artifacts/engineer/execution_log_\${loop.index}.md"  # Captures STDOUT
          # Note: Claude will create implementation files directly

        - name: WriteStatus
          command: ["echo", '{"success": true, "task": "\${task_file}"}']
          output_file: "artifacts/engineer/status_\${loop.index}.json"
          output_capture: "json"
${MOVE}
        - name: CreateQATask
          when:
            equals:
              left: "\${steps.WriteStatus.json.success}"
              right: "true"
          command: ["bash", "-c", "
            echo 'Review impl_\${loop.index}.py' > inbox/qa/review_\${loop.index}.tmp &&
            mv inbox/qa/review_\${loop.index}.tmp inbox/qa/review_\${loop.index}.task
          "]

  - name: NoTasks
    command: ["echo", "No pending tasks"]
    on:
      success:
        goto: _end
`;

const INBOX = {
  'inbox/engineer/login.task': 'Implement the login.',
  'inbox/qa/.keep': '',
  'processed/.keep': '',
};

describe('the example `multi_agent_feature_dev`', () => {
  it('loads as printed, with a warning that only the text of `claude` is read, also from `run`', async () => {
    const workspace = workspaceWith({ 'w.yaml': FEATURE, ...INBOX });
    const validated = await workspace.run(['validate', 'w.yaml']);
    expect([validated.exitCode, validated.stdout + validated.stderr]).toEqual([
      0,
      expect.stringContaining('provider/unstructured-agent'),
    ]);
    expect((await run(workspace)).stderr).toContain('provider/unstructured-agent');
  });

  it('as printed ends at its `mv` to a folder that does not exist, and says so; nothing is lost', async () => {
    const workspace = workspaceWith({ 'w.yaml': FEATURE, ...INBOX });
    const ended = await run(workspace);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('✗ ProcessEngineerTasks/0/MoveToProcessed [inbox/engineer/login.task]');
    expect(ended.stderr).toMatch(/mv: .*processed/);
    expect(workspace.read('artifacts/engineer/execution_log_0.md')).toBe(
      'asked: Implement the login.\nmodel: claude-sonnet-4-20250514\n',
    );
    expect(JSON.parse(workspace.read('artifacts/engineer/status_0.json'))).toEqual({
      success: true,
      task: 'inbox/engineer/login.task',
    });
    expect(workspace.has('inbox/engineer/login.task')).toBe(true);
  });

  it('with `on_item_complete` in the place of that `mv` does everything it describes', async () => {
    const moved = `      on_item_complete:
        success: {move_to: "processed/\${run.timestamp_utc}_\${loop.index}"}
      steps:
        - name: Implement`;
    const workspace = workspaceWith({
      'w.yaml': FEATURE.replace(MOVE, '').replace('      steps:\n        - name: Implement', moved),
      ...INBOX,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.read('inbox/qa/review_0.task')).toBe('Review impl_0.py\n');
    expect(workspace.list('inbox/engineer')).toEqual([]);
    const stamp = workspace.runs()[0]?.slice(0, 16);
    expect(workspace.read(`processed/${stamp}_0/login.task`)).toBe('Implement the login.');
  });

  it('without tasks says so', async () => {
    const workspace = workspaceWith({ 'w.yaml': FEATURE, 'inbox/.keep': '' });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.step('NoTasks').output).toBe('No pending tasks\n');
  });
});

describe('the snippets', () => {
  it('compose a prompt in a step and send it', async () => {
    const workspace = workspaceWith({
      'temp/.keep': '',
      'w.yaml': `steps:
  # Step 1: Create dynamic prompt with substituted variables
  - name: PreparePrompt
    command: ["bash", "-c", "echo 'Analyze \${context.project_name}' > temp/prompt.md"]

  # Step 2: Use the prepared prompt
  - name: Analyze
    provider: "claude"
    input_file: "temp/prompt.md"  # Contains substituted content
`,
    });
    const ended = await run(workspace, ['--context', 'project_name=a & b', '--agent', 'mock']);
    expect(ended.exitCode).toBe(0);
    expect(workspace.step('Analyze').output).toContain('Analyze a & b');
  });

  it('give a step environment variables and a secret, which is masked', async () => {
    const workspace = workspaceWith({
      'w.yaml': `steps:
  - name: Build
    env:
      LOG_LEVEL: "debug"      # Non-secret env vars
    secrets:
      - GITHUB_TOKEN          # Secret env vars (masked in logs)
    command: ["npm", "run", "build"]
`,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Build').output).toBe('debug run build with ***\n');
  });

  it('configure the folders of the queue', async () => {
    const workspace = workspaceWith({
      'w.yaml': `# Top-level workflow config (with defaults)
inbox_dir: "inbox"
processed_dir: "processed"
failed_dir: "failed"
task_extension: ".task"
steps:
  - {name: A, command: ["true"]}
`,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
  });

  it('call agents by templates, with parameters, and by a command of the step', async () => {
    const workspace = workspaceWith({
      'prompts/analyze.md': 'Analyze the requirements.',
      'w.yaml': `${CLAUDE_TEMPLATE}
  gemini:
    command: ["gemini", "-p", "\${PROMPT}"]
    # Gemini CLI doesn't support model selection via CLI
steps:
  - name: Analyze
    provider: "claude"
    provider_params:
      model: "claude-3-5-sonnet"  # or claude-3-5-haiku for faster/cheaper
    input_file: "prompts/analyze.md"
    output_file: "artifacts/architect/analysis.md"

  - name: CustomProvider
    command_override: ["claude", "-p", "Special prompt", "--model", "claude-opus-4-1-20250805"]

  - {name: Other, provider: gemini, input_file: "prompts/analyze.md"}
`,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.read('artifacts/architect/analysis.md')).toBe(
      'asked: Analyze the requirements.\nmodel: claude-3-5-sonnet\n',
    );
    expect(workspace.step('CustomProvider').output).toBe(
      'asked: Special prompt\nmodel: claude-opus-4-1-20250805\n',
    );
    expect(workspace.step('Other').output).toBe('asked: Analyze the requirements.\n');
  });

  it('wait for files, and loop over literal items', async () => {
    const workspace = workspaceWith({
      'inbox/engineer/replies/1.task': 'done',
      'w.yaml': `steps:
  - name: Replies
    wait_for:
      glob: "inbox/engineer/replies/*.task"  # File pattern to watch
      timeout_sec: 1800                      # Max wait time (default: 300)
      poll_ms: 500                          # Poll interval (default: 500)
      min_count: 1                          # Min files required (default: 1)
  - name: Each
    for_each:
      items: ["a", "b", "c"]
      as: item
      steps:
        - {name: Say, command: ["echo", "\${item} \${loop.index} \${loop.total}"]}
`,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Replies')).toMatchObject({ files: ['inbox/engineer/replies/1.task'] });
    expect(workspace.iterations('Each').map(({ Say }) => Say?.output)).toEqual([
      'a 0 3\n',
      'b 1 3\n',
      'c 2 3\n',
    ]);
  });

  it('pass the design of one agent to another in a task', async () => {
    const workspace = workspaceWith({
      'prompts/architect/design.md': 'Create a system architecture.',
      'inbox/engineer/.keep': '',
      'w.yaml': `${CLAUDE_TEMPLATE}
steps:
  # Step 1: Agent A creates artifacts
  - name: ArchitectDesign
    agent: "architect"
    provider: "claude"
    input_file: "prompts/architect/design.md"  # Contains prompt text
    output_file: "artifacts/architect/log.md"   # Captures STDOUT

  # Step 2: Compose dynamic task for Agent B (atomic write)
  - name: PrepareEngineerTask
    command: ["bash", "-c", "
      echo 'Implement the following designs:' > inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      echo '' >> inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      cat artifacts/architect/*.md >> inbox/engineer/task_\${run.timestamp_utc}.tmp &&
      mv inbox/engineer/task_\${run.timestamp_utc}.tmp inbox/engineer/task_\${run.timestamp_utc}.task
    "]

  # Step 3: Agent B processes dynamic task
  - name: EngineerImplement
    agent: "engineer"
    provider: "claude"
    input_file: "inbox/engineer/task_\${run.timestamp_utc}.task"  # Dynamically composed
`,
    });
    expect(await run(workspace)).toMatchObject({ exitCode: 0 });
    expect(workspace.step('EngineerImplement').output).toContain(
      'asked: Implement the following designs:\n\nasked: Create a system architecture.\nmodel: claude-sonnet-4-20250514\nthe design\n',
    );
  });
});
