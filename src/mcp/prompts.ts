/** Prompts for common work with the tools of this server; clients show them as commands. */
import { error, ok, type Result } from '../model/result.ts';
import { nearest } from '../model/suggest.ts';

export interface Prompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The tools that the text names. */
  readonly tools: readonly string[];
  text(given: { readonly [name: string]: string }): string;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

const run: PromptArgument = {
  name: 'run',
  description: 'run id, unique prefix of one, or `last` (default)',
  required: false,
};

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'work_on_phase',
    description: 'Do the active phase of the task and report it.',
    arguments: [],
    tools: ['workflow_get', 'phase_start', 'phase_complete', 'phase_fail'],
    text: () =>
      [
        'Call `workflow_get`. If no phase is active, start the next pending one with `phase_start`.',
        'Do only the active phase. Use the `context_for_next` of the phase before it.',
        'Then call `phase_complete` with its deliverables and, in `context_for_next`, what the next phase needs to know; or `phase_fail` with the reason.',
      ].join('\n'),
  },
  {
    name: 'work_on_task',
    description: 'Do a task of the active session and report it.',
    arguments: [{ name: 'task', description: 'task id (default: the first that is ready)', required: false }],
    tools: ['task_list', 'task_get', 'task_update'],
    text: ({ task }) =>
      [
        task === undefined
          ? 'Call `task_list` with `ready: true` and take the first task.'
          : `Work on the task ${task}.`,
        'Read it with `task_get` and set its status to `active` with `task_update`.',
        'Do it and check every acceptance criterion. Then set its status to `completed`; if it cannot be done, to `blocked`, and say why.',
      ].join('\n'),
  },
  {
    name: 'run_workflow',
    description: 'Start a workflow, follow it to its end, and report the result.',
    arguments: [{ name: 'workflow', description: 'workflow file (YAML)', required: true }],
    tools: ['run_start', 'run_follow', 'run_get', 'run_log'],
    text: ({ workflow }) =>
      [
        `Start the workflow ${workflow} with \`run_start\`.`,
        'Call `run_follow` with `after` set to the last `seen` until `process_alive` is false.',
        'If it waits for an answer, tell the user the question and its choices, and stop: a person answers it.',
        'At the end, report the status and cost from `run_get`. If it failed, read the log of the failed step with `run_log` and explain why.',
      ].join('\n'),
  },
  {
    name: 'explain_run',
    description: 'Explain why a run failed or what it is waiting for.',
    arguments: [run],
    tools: ['run_get', 'run_log'],
    text: ({ run: id = 'last' }) =>
      [
        `Call \`run_get\` with run \`${id}\`.`,
        'Find the first step that failed, and read what it wrote with `run_log`, also with `stream: stderr`.',
        'Explain the cause in a few sentences with the lines that show it, and what to do next.',
      ].join('\n'),
  },
];

/** The text of a prompt. The problem names the argument. */
export function renderPrompt(
  offered: readonly Prompt[],
  name: string,
  given: { readonly [name: string]: string },
): Result<string, string> {
  const names = offered.map((each) => each.name);
  const prompt = offered.find((each) => each.name === name);
  if (prompt === undefined) return error(`unknown prompt \`${name}\`${didYouMean(name, names)}`);
  const known = prompt.arguments.map((each) => each.name);
  const unknown = Object.keys(given).find((each) => !known.includes(each));
  if (unknown !== undefined) return error(`unknown argument \`${unknown}\`${didYouMean(unknown, known)}`);
  const missing = prompt.arguments.find((each) => each.required && (given[each.name] ?? '') === '');
  if (missing !== undefined) return error(`missing argument \`${missing.name}\`: ${missing.description}`);
  return ok(prompt.text(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))));
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `; did you mean \`${near}\`?`;
}
