import type { DocumentProblem } from '../../store/document.ts';

export function problemText(problem: DocumentProblem): string {
  return problem.type === 'held'
    ? `\`${problem.path}\` is being changed by process ${problem.owner.pid}`
    : problem.message;
}
