/** `.chat/analysis-IMPL-*.md`: the commands of a task's pre_analysis steps and their output. Generated, never read. */
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { fence } from '../../model/fence.ts';
import type { AnalysisStep } from '../document/flow.ts';
import type { TaskDetails } from '../document/task.ts';
import { markdownLine } from './markdown-line.ts';

export interface StepResult {
  readonly step: AnalysisStep;
  /** The commands as they were carried out, with all values in them. */
  readonly ran: readonly string[];
  /** The value that later steps get. */
  readonly output: string;
  /** Output of its last attempt, even if it was not used. */
  readonly failure?: Failure;
}

export function renderAnalysis(task: TaskDetails, results: readonly StepResult[]): string {
  const sections = results.map((result) => `\n${renderStep(result)}`);
  return `# Analysis: ${task.id} - ${markdownLine(task.title)}\n${sections.join('')}`;
}

function renderStep({ step, ran, output, failure }: StepResult): string {
  const name = step.outputTo === undefined ? '' : ` → \`${step.outputTo}\``;
  const failed =
    failure === undefined
      ? ''
      : `\n**${step.onError === 'skip_optional' ? 'Skipped' : 'Failed'}** (\`${step.onError}\`): ${describeFailure(failure)}\n`;
  const printed =
    ran.length === 0 ? 'Left to the agent.\n' : output === '' ? 'Nothing.\n' : `${fence(output, 'text')}\n`;
  return `## ${step.step}\n${markdownLine(step.action)}\n\n${fence((ran.length === 0 ? step.commands : ran).join('\n'), 'sh')}\n${failed}\n### Result${name}\n${printed}`;
}
