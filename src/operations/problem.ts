/**
 * Why an operation was refused: a closed list of values. Each area defines its problems in a table, with their kind and words
 * (`problems/`). Doors derive their exit code or HTTP status from the kind, so a new problem needs no change in any door.
 */
import type { Form, ProblemKind, ProblemsOf } from '../model/problem-form.ts';
import { phaseRefusals } from '../phases/refusals.ts';
import { sessionProblems } from '../session/problem.ts';
import { commandLineProblems } from './problems/command-line.ts';
import { conversationProblems } from './problems/conversations.ts';
import { doorProblems } from './problems/doors.ts';
import { fileProblems } from './problems/files.ts';
import { keepingProblems } from './problems/keeping.ts';
import { loopHistoryProblems } from './problems/loop-history.ts';
import { loopProblems } from './problems/loops.ts';
import { machineProblems } from './problems/machines.ts';
import { phaseProblems } from './problems/phases.ts';
import type { RunProblem } from './problems/run-problem.ts';
import { runProblems } from './problems/runs.ts';
import { taskProblems } from './problems/sessions.ts';
import { workflowProblems } from './problems/workflows.ts';

export type * from './problems/run-problem.ts';

const otherProblems = () => ({
  ...commandLineProblems(),
  ...conversationProblems(),
  ...doorProblems(),
  ...fileProblems(),
  ...keepingProblems(),
  ...loopHistoryProblems(),
  ...loopProblems(),
  ...machineProblems(),
  ...phaseProblems(),
  ...phaseRefusals(),
  ...sessionProblems(),
  ...taskProblems(),
  ...workflowProblems(),
});

export type Problem = RunProblem | ProblemsOf<ReturnType<typeof otherProblems>>;

/** Made for the first problem: most commands have none. */
let problems: ReturnType<typeof allProblems> | undefined;

function allProblems() {
  return { ...otherProblems(), ...runProblems() };
}

/** The row of a problem, which takes the data of its own type only. */
export function formOf(problem: Problem): Form<Problem> {
  problems ??= allProblems();
  return problems[problem.type] as unknown as Form<Problem>;
}

export function kindOf(problem: Problem): ProblemKind {
  return formOf(problem).kind;
}
