/** The prompt for an agent that works on a task. */
import type { JsonObject } from '../../model/json.ts';
import { ACCEPTANCE_COMMAND } from '../check/check-flow-control.ts';
import type { ApproachStep } from '../document/flow.ts';
import { type Outputs, renderProse } from '../document/script.ts';
import type { Task } from '../document/task.ts';
import { isAdopted } from '../document/task-summary.ts';
import type { ToGather } from './task-state.ts';

export interface PromptInput {
  readonly task: Task;
  readonly session: string;
  readonly outputs: Outputs;
  readonly toGather: readonly ToGather[];
  readonly dependencies: readonly Task[];
  readonly parent?: Task;
  /** The steps of the approach that this call is for. */
  readonly steps?: readonly ApproachStep[];
  /** Why the previous answer or work was rejected. */
  readonly findings?: string;
}

export function taskPrompt(input: PromptInput): string {
  const { task, session } = input;
  const context = { task: withoutRecords(task.source), workflow: { session, phase: 'IMPLEMENT' } };
  const sections = [
    `Work on the task ${task.id}: ${task.title}`,
    section('The task', `\`\`\`json\n${JSON.stringify(context, null, 2)}\n\`\`\``),
    section('What to do', whatToDo(input)),
    section('Context to gather first', toGather(input.toGather)),
    section('Information gathered so far', gathered(input.outputs)),
    section('Results of earlier tasks', dependencyText(input.dependencies)),
    section('The parent task', parentText(input.parent)),
    section('Acceptance criteria', acceptanceText(task)),
    section('What was wrong with the last attempt', input.findings ?? rejection(task)),
    'Do the work in the files of the project. Do not change anything in `.workflow` or `.orchestrate`, and do not commit.\nWhen you are done, answer with the requested JSON object: what you did, every file you changed, what you decided, what later tasks need to know, and what you verified.',
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`;
}

function rejection({ execution: { reviewComment } }: Task): string {
  return reviewComment === undefined ? '' : `The user rejected its work: ${reviewComment}`;
}

/** The history and results of earlier runs are left out of the prompt. */
function withoutRecords(source: JsonObject): JsonObject {
  const { execution: _execution, status_history: _history, summary: _summary, ...rest } = source;
  return rest;
}

function whatToDo({ task, outputs, steps }: PromptInput): string {
  const render = (text: string): string => renderProse(text, task, outputs);
  const bullets = (title: string, items: readonly string[]): string =>
    items.length === 0 ? '' : `${title}:\n${items.map((item) => `- ${render(item)}`).join('\n')}`;
  const block = (part: {
    readonly description: string;
    readonly modificationPoints: readonly string[];
    readonly logicFlow: readonly string[];
  }): string =>
    [render(part.description), bullets('Change', part.modificationPoints), bullets('Flow', part.logicFlow)]
      .filter((text) => text !== '')
      .join('\n\n');
  const targets = bullets('Target files', task.targetFiles);
  if (task.approach.type === 'description')
    return [block(task.approach), targets].filter((text) => text !== '').join('\n\n');
  const titled = (steps ?? []).map((step) =>
    `### ${step.step}. ${render(step.title)}\n\n${block(step)}`.trimEnd(),
  );
  return [...titled, targets].filter((text) => text !== '').join('\n\n');
}

function toGather(items: readonly ToGather[]): string {
  return items
    .map(({ action, command }) =>
      action === '' || action === command ? `- ${command}` : `- ${action}: \`${command}\``,
    )
    .join('\n');
}

function gathered(outputs: Outputs): string {
  return Object.entries(outputs)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `### ${name}\n\n${text}`)
    .join('\n\n');
}

function dependencyText(dependencies: readonly Task[]): string {
  return dependencies
    .map((task) => {
      const { summary } = task;
      if (summary === undefined) return `### ${task.id}: ${task.title}`;
      const shared = {
        approach: summary.approach,
        shared_context: summary.sharedContext,
        integration_points: summary.integrationPoints,
        key_decisions: summary.keyDecisions,
        verification: summary.verification,
        files: summary.files.map(({ path }) => path),
        notes: summary.notes,
      };
      const words = summary.text === undefined ? [] : [summary.text];
      const parts = isAdopted(summary)
        ? words
        : [`\`\`\`json\n${JSON.stringify(shared, null, 2)}\n\`\`\``, ...words];
      return [`### ${task.id}: ${task.title}`, ...parts].join('\n\n');
    })
    .join('\n\n');
}

function parentText(parent: Task | undefined): string {
  if (parent === undefined) return '';
  const context = parent.source['context'] ?? {};
  return `${parent.id}: ${parent.title}\n\n\`\`\`json\n${JSON.stringify(context, null, 2)}\n\`\`\``;
}

function acceptanceText(task: Task): string {
  return task.acceptance
    .map((entry) =>
      ACCEPTANCE_COMMAND.test(entry)
        ? `- this command will be run and must exit with code 0: \`${entry.replace(ACCEPTANCE_COMMAND, '')}\``
        : `- ${entry}`,
    )
    .join('\n');
}
