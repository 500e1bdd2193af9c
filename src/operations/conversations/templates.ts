/** The templates of `converse init`. All share `templates/base_prompt.txt`. */
import { CONFIG } from '../../converse/layout.ts';
import { BASE_PROMPT } from '../../converse/prompt/default-templates.ts';

export interface WorkspaceTemplate {
  readonly summary: string;
  readonly files: { readonly [path: string]: string };
}

const LIMITS = `
# The folder the tools work in (default: this workspace folder).
# root: ..

# Names of tools in config/tools.yaml (default: all of them).
# tools: [read_file, list_files]

templates:
  base_prompt: templates/base_prompt.txt

limits:
  context_budget_tokens: 100000   # older turns are summarized to stay within it
  max_consecutive_errors: 3       # failed agent calls and malformed answers in a row
`;

const READING_TOOLS = `  - name: read_file
    description: Reads a text file.
    builtin: read_file
    parallel_safe: true

  - name: list_files
    description: Lists the files that match a glob.
    builtin: list_files
    parallel_safe: true

  - name: search
    description: Finds the lines that match a regular expression.
    builtin: search
    parallel_safe: true
`;

const WRITE_FILE = `
  - name: write_file
    description: Writes a whole text file.
    builtin: write_file
`;

const RUN_COMMAND = `
  - name: run_command
    description: Runs a program with arguments, without a shell.
    builtin: run_command
    timeout_sec: 120
    approve: always               # you are asked each time
`;

const COMMAND_TOOL = `
  - name: count_lines
    description: Counts the lines of a file.
    input_schema:
      type: object
      properties:
        path: { type: string, description: Relative to the root. }
      required: [path]
    command: [wc, -l, --, "{{input.path}}"]
    timeout_sec: 10
    parallel_safe: true
`;

export const TEMPLATES: { readonly [name: string]: WorkspaceTemplate } = {
  basic: {
    summary: 'Claude Code with tools for files and, when you allow it, commands',
    files: {
      [CONFIG.workflow]: `task: Describe what is in this folder.
agent: claude                     # claude, gemini, codex, opencode, copilot, qwen or mock; or {name, model, permissions, args, command, …}
max_iterations: 10
${LIMITS}`,
      [CONFIG.tools]: `tools:\n${READING_TOOLS}${WRITE_FILE}${RUN_COMMAND}${COMMAND_TOOL}`,
      [CONFIG.basePrompt]: BASE_PROMPT,
    },
  },
  'data-analysis': {
    summary: 'a small data.csv to analyse and to report on',
    files: {
      [CONFIG.workflow]: `task: Analyze data.csv and generate a summary report
agent: claude
max_iterations: 10
${LIMITS}`,
      [CONFIG.tools]: `tools:\n${READING_TOOLS}${COMMAND_TOOL}${WRITE_FILE}`,
      [CONFIG.basePrompt]: BASE_PROMPT,
      'data.csv': 'month,visitors,orders\nJanuary,1200,31\nFebruary,1340,38\nMarch,1180,42\n',
    },
  },
  mock: {
    summary: 'a scripted agent: needs no key and no model',
    files: {
      [CONFIG.workflow]: `task: Count the lines of notes.txt and write a report
agent:
  name: mock
  script:
    cases:
      - prompt: "This is iteration 1 of"
        structured:
          content:
            - { type: text, text: I count the lines first. }
            - { type: tool_use, id: toolu_1, name: count_lines, input: { path: notes.txt } }
      - prompt: "This is iteration 2 of"
        structured:
          content:
            - { type: tool_use, id: toolu_2, name: write_file, input: { path: report.md, content: "notes.txt has 2 lines.\\n" } }
    structured:
      content:
        - { type: text, text: The report is in report.md. }
max_iterations: 5
${LIMITS}`,
      [CONFIG.tools]: `tools:\n${READING_TOOLS}${COMMAND_TOOL}${WRITE_FILE}`,
      [CONFIG.basePrompt]: BASE_PROMPT,
      'notes.txt': 'one\ntwo\n',
    },
  },
};
