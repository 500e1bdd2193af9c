/** `.chat/analysis-IMPL-*.md`: what the steps before a task's implementation ran, and what came out. Generated, never read. */
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { fence } from '../../model/fence.ts';
import type { AnalysisStep, TaskDetails } from '../document/task.ts';
import { markdownLine } from './markdown-line.ts';

export interface StepResult {
  readonly step: AnalysisStep;
  /** What later steps get for it. */
  readonly output: string;
  /** Of its last try, also where it did not count. */
  readonly failure?: Failure;
}

export function renderAnalysis(task: TaskDetails, results: readonly StepResult[]): string {
  const sections = results.map((result) => `\n${renderStep(result)}`);
  return `# Analysis: ${task.id} - ${markdownLine(task.title)}\n${sections.join('')}`;
}

function renderStep({ step, output, failure }: StepResult): string {
  const name = step.outputTo === undefined ? '' : ` → \`${step.outputTo}\``;
  const failed =
    failure === undefined ? '' : `\n**Failed** (\`${step.onError}\`): ${describeFailure(failure)}\n`;
  const printed = output === '' ? 'Nothing.\n' : `${fence(output, 'text')}\n`;
  return `## ${step.step}\n${markdownLine(step.action)}\n\n${fence(step.commands.join('\n'), 'sh')}\n${failed}\n### Result${name}\n${printed}`;
}
