/** `.summaries/IMPL-*-summary.md`, from the task's document. Generated, never read. */
import { durationText, stepCostText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import type { Spent } from '../../model/record.ts';
import type { TaskDetails } from '../document/task.ts';
import type { TaskGraph } from '../document/task-graph.ts';
import { type FileEvidence, isAdopted, type TaskSummary } from '../document/task-summary.ts';
import { markdownLine } from './markdown-line.ts';

export function renderSummary(
  task: TaskDetails,
  summary: TaskSummary,
  graph: TaskGraph<TaskDetails>,
): string {
  if (isAdopted(summary)) return `${summary.text}\n`;
  const dependencies = task.dependsOn.map((id) => `  - ${id}: ${providedBy(graph.byId.get(id))}`);
  return `# Task Summary: ${task.id} - ${markdownLine(task.title)}

## Context Provided
- **Parent Context**: ${parentContext(task)}
- **Dependencies Resolved**:${dependencies.length === 0 ? ' none' : `\n${dependencies.join('\n')}`}

## Implementation Details
### Approach
${summary.approach === '' ? 'Not reported.' : summary.approach}

### Files Modified
${bullets(summary.files, (file) => `\`${file.path}\`: ${fileText(file)}`)}
${summary.commit === undefined ? '' : `\nCommitted as \`${summary.commit}\`.\n`}
### Key Decisions
${bullets(summary.keyDecisions, ({ decision, rationale }) => `${markdownLine(decision)}: ${markdownLine(rationale)}`)}

## Outputs for Dependent Tasks
### Shared Context
\`\`\`json
${JSON.stringify(summary.sharedContext, null, 2)}
\`\`\`

### Integration Points
${bullets(summary.integrationPoints, ({ name, usage }) => `**${markdownLine(name)}**: ${markdownLine(usage)}`)}

## Testing Verification
${bullets(summary.verification, ({ check, method, proven }) => `**${markdownLine(check)}**: ${markdownLine(method)} (${proven ? 'proven' : 'claimed'})`)}

## Notes for Future Tasks
${[summary.notes, summary.text ?? ''].filter((text) => text !== '').join('\n\n') || 'None.'}
${effortOf(task)}`;
}

/** A task that was closed by hand has none. */
function effortOf({ execution }: TaskDetails): string {
  const { workedMs, spent, attempts } = execution;
  const cost = spent === undefined ? 'none (no agent was called)' : costWords(spent);
  if (workedMs === undefined) return '';
  return `
## Time and Cost
- **Time**: ${durationText(workedMs)}${attempts > 1 ? ` in ${attempts} attempts` : ''}
- **Cost**: ${cost}
`;
}

function costWords({ costUsd, unknownCalls }: Spent): string {
  const amounts = { cost_usd: costUsd, ...defined({ unknown_cost_calls: unknownCalls }) };
  return (stepCostText(amounts) ?? '').replace(/^cost /, '');
}

const EVIDENCE: Readonly<Record<FileEvidence, string>> = {
  changed: '',
  unchanged: ' (claimed; version control shows no change)',
  unmentioned: 'changed, but not mentioned by the agent',
  unknown: ' (claimed; not checked, because there is no version control)',
};

function fileText(file: TaskSummary['files'][number]): string {
  return `${markdownLine(file.description)}${EVIDENCE[file.evidence]}`;
}

function parentContext(task: TaskDetails): string {
  const { inherited } = task;
  if (inherited === undefined || inherited.context.length === 0) return 'none';
  return `${inherited.context.map(markdownLine).join('; ')} (from ${inherited.from})`;
}

function providedBy(task: TaskDetails | undefined): string {
  if (task === undefined) return 'no longer exists';
  const { summary } = task;
  const [first = ''] = (summary?.approach || summary?.text?.replace(/^#+ /, '') || '').split('\n', 1);
  return markdownLine(first === '' ? task.title : first);
}

function bullets<Item>(items: readonly Item[], text: (item: Item) => string): string {
  return items.length === 0 ? '- none' : items.map((item) => `- ${text(item)}`).join('\n');
}
