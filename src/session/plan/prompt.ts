/** The prompt for the planning agent. */
import type { JsonObject } from '../../model/json.ts';
import type { PlanInput } from './input.ts';

export function planPrompt(input: PlanInput, findings: readonly string[]): string {
  const { parent } = input;
  const sections = [
    parent === undefined
      ? 'Plan the work requested below as tasks that agents can carry out one by one. Do not carry them out, and do not change any file.'
      : `Split the task ${parent.id} below into subtasks that agents can carry out one by one. Do not carry them out, and do not change any file. Give them the ids ${parent.id}.1, ${parent.id}.2 and so on, and \`${parent.id}\` as their parent.`,
    section('The request', input.request),
    parent === undefined
      ? ''
      : section('The task to split', `\`\`\`json\n${JSON.stringify(parent.source, null, 2)}\n\`\`\``),
    section(
      'The project',
      input.tree.length === 0 ? 'It has no files yet.' : `\`\`\`text\n${input.tree.join('\n')}\n\`\`\``,
    ),
    section('Existing tasks', existing(input.existing)),
    section('Rules', RULES),
    section(
      'Your last answer was rejected',
      findings.length === 0
        ? ''
        : `${findings.map((line) => `- ${line}`).join('\n')}\n\nFix these problems and give the complete answer again.`,
    ),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

/** For the conversation in which the answer was given. */
export function rejectionPrompt(findings: readonly string[]): string {
  const lines = findings.map((line) => `- ${line}`).join('\n');
  return `Your last answer was rejected:\n\n${lines}\n\nFix these problems and give the complete answer again.\n`;
}

const RULES = `- Ids are \`IMPL-1\`, \`IMPL-2\`, …, each once. A task that is too large has subtasks \`IMPL-1.1\`, \`IMPL-1.2\`, … with \`"parent": "IMPL-1"\`; there are no deeper levels.
- A task with subtasks is not carried out itself: put all the work into its subtasks.
- \`depends_on\` names ids from this list or of existing tasks. No task depends on its own parent, and there are no circular dependencies.
- \`focus_paths\` are folders and files relative to the project root, without wildcards and without \`./\`. Tasks that share none may run in parallel.
- \`pre_analysis\` may be empty. Each of its commands is written \`bash(<script>)\`.
- Acceptance criteria that a program can check are written \`command: <script>\`; the script must exit with code 0 when the task is done.`;

function existing(sources: readonly JsonObject[]): string {
  return sources.map((source) => `- ${String(source['id'])}: ${String(source['title'])}`).join('\n');
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`;
}
