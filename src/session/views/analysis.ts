/** `.chat/analysis-IMPL-*.md`: the commands of a task's pre_analysis steps and their output. Generated, never read. */
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { fence } from '../../model/fence.ts';
import type { AnalysisStep, TaskDetails } from '../document/task.ts';
import { markdownLine } from './markdown-line.ts';

export interface StepResult {
  readonly step: AnalysisStep;
  /** The value that later steps get. */
  readonly output: string;
  /** Output of its last attempt, even if it was not used. */
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
