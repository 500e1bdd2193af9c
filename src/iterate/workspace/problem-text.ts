import { holderText } from '../../store/describe-held.ts';
import type { DocumentProblem } from '../../store/document.ts';

export function problemText(problem: DocumentProblem): string {
  return problem.type === 'held'
    ? `\`${problem.path}\` is being changed by ${holderText(problem)}`
    : problem.message;
}
