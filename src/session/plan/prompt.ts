/** What the planning agent is told. */
import type { JsonObject } from '../../model/json.ts';
import type { PlanInput } from './input.ts';

export function planPrompt(input: PlanInput, findings: readonly string[]): string {
  const { parent } = input;
  const sections = [
    parent === undefined
      ? 'Plan the work that is asked for below as tasks that agents can carry out one by one. Do not carry it out, and change no file.'
      : `Divide the task ${parent.id} below into subtasks that agents can carry out one by one. Do not carry it out, and change no file. Give them the ids ${parent.id}.1, ${parent.id}.2 and so on, and \`${parent.id}\` as their parent.`,
    section('What is asked for', input.request),
    parent === undefined
      ? ''
      : section('The task to divide', `\`\`\`json\n${JSON.stringify(parent.source, null, 2)}\n\`\`\``),
    section(
      'The project',
      input.tree.length === 0 ? 'It has no files yet.' : `\`\`\`text\n${input.tree.join('\n')}\n\`\`\``,
    ),
    section('Tasks that are there already', existing(input.existing)),
    section('Rules', RULES),
    section(
      'Your last answer could not be taken',
      findings.length === 0
        ? ''
        : `${findings.map((line) => `- ${line}`).join('\n')}\n\nGive the whole answer again with these mended.`,
    ),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

const RULES = `- Ids are \`IMPL-1\`, \`IMPL-2\`, …, each once. A task that is too large has parts \`IMPL-1.1\`, \`IMPL-1.2\`, … with \`"parent": "IMPL-1"\`; there are no deeper levels.
- A task with parts is not carried out itself: put all the work into the parts.
- \`depends_on\` names ids of this list or of tasks that are there already. Nothing depends on its own parent, and there are no circles.
- \`focus_paths\` are folders and files from the root of the project, without wildcards and without \`./\`. Tasks that share none may be carried out side by side.
- \`pre_analysis\` may be empty. Each of its commands is written \`bash(<script>)\`.
- Acceptance that a program can check is written \`command: <script>\`; it must exit with 0 when the task is done.`;

function existing(sources: readonly JsonObject[]): string {
  return sources.map((source) => `- ${String(source['id'])}: ${String(source['title'])}`).join('\n');
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n\n${text}`;
}
