/** The files that `orchestrate init` writes: complete workflows, ready to run. */
export interface Template {
  readonly summary: string;
  /** Path → contents, relative to the workspace. */
  readonly files: { readonly [path: string]: string };
  /** Commands to type next, in order. */
  readonly next: readonly string[];
}

const SCHEMA_LINE = '# yaml-language-server: $schema=./workflow.schema.json';

const BASIC = `${SCHEMA_LINE}
# Lists the Markdown files of this folder and counts the lines of each.
name: hello
inputs:
  pattern: {default: "*.md"}    # orchestrate run workflows/hello.yaml --context pattern='*.txt'

steps:
  - name: List
    command: [find, ".", -maxdepth, "1", -name, "\${context.pattern}", -type, f]
    output_capture: lines       # steps.List.lines is the list of files

  - name: Count
    for_each:
      items_from: steps.List.lines
      as: file
      max_parallel: 2           # two at a time
      steps:
        - name: Lines
          command: [wc, -l, "\${file}"]

  - name: Done
    command: [echo, "all counted"]
`;

const AGENTS = `${SCHEMA_LINE}
# One agent plans, you approve the plan, another agent writes the code; its result is checked.
# Without a model:  orchestrate run workflows/agents.yaml --agent mock
name: agents
description: Plans and writes a small program.
inputs:
  topic: {default: "a command line that greets its user", description: What is built.}

defaults:
  provider: claude              # the agent of every step with a prompt
  timeout_sec: 1800

steps:
  - name: Plan
    agent: architect
    prompt: |
      Write a short plan for this topic: what will be built, which files, in which order.
      Answer with the plan in Markdown and nothing else.

      Topic: \${context.topic}
    output_file: artifacts/architect/plan.md

  - name: Agree
    approve:
      message: "Is artifacts/architect/plan.md what you want?"
      choices: ["yes", "no"]

  - name: Write
    when:
      equals: {left: "\${steps.Agree.output}", right: "yes"}
    agent: engineer
    prompt: |
      Carry out the plan below. Write the files it names into this folder, and keep them small.
      When you are done, answer with the list of files you wrote.

      \${steps.Plan.output}
    output_file: artifacts/engineer/log.md
    retries: 2
`;

const QUEUE = `${SCHEMA_LINE}
# Works through the tasks in inbox/engineer; each one is moved to processed/ or failed/.
#   echo "say hello to the user" | orchestrate queue put engineer
# Without a model:  orchestrate run workflows/queue.yaml --agent mock
name: queue

steps:
  - name: Find
    script: |
      mkdir -p inbox/engineer
      find inbox/engineer -maxdepth 1 -name '*.task' -type f | sort
    output_capture: lines

  - name: Work
    for_each:
      items_from: steps.Find.lines
      as: task
      on_item_failure: continue          # one bad task does not stop the others
      on_item_complete:
        success: {move_to: "processed/\${run.timestamp_utc}"}
        failure: {move_to: "failed/\${run.timestamp_utc}"}
      steps:
        - name: Do
          agent: engineer
          provider: claude
          input_file: "\${task}"
          output_file: "artifacts/engineer/answer-\${loop.index}.md"
`;

export const TEMPLATES: { readonly [name: string]: Template } = {
  basic: {
    summary: 'commands and a loop',
    files: { 'workflows/hello.yaml': BASIC },
    next: ['orchestrate run workflows/hello.yaml', 'orchestrate show last'],
  },
  agents: {
    summary: 'two agents with your approval in between',
    files: { 'workflows/agents.yaml': AGENTS },
    next: [
      'orchestrate run workflows/agents.yaml',
      'orchestrate approve last Agree --choose yes',
      'orchestrate resume last',
    ],
  },
  queue: {
    summary: 'an agent that works through a folder of tasks',
    files: { 'workflows/queue.yaml': QUEUE },
    next: [
      'echo "say hello to the user" | orchestrate queue put engineer',
      'orchestrate run workflows/queue.yaml',
    ],
  },
};
