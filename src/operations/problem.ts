/**
 * Why an operation was refused: a closed list of values. Each area defines its problems in a table, with their kind and words
 * (`problems/`). Doors derive their exit code or HTTP status from the kind, so a new problem needs no change in any door.
 */
import type { Form, ProblemKind, ProblemsOf } from '../model/problem-form.ts';
import { PHASE_REFUSALS } from '../phases/refusals.ts';
import { SESSION_PROBLEMS } from '../session/problem.ts';
import { COMMAND_LINE_PROBLEMS } from './problems/command-line.ts';
import { CONVERSATION_PROBLEMS } from './problems/conversations.ts';
import { DOOR_PROBLEMS } from './problems/doors.ts';
import { FILE_PROBLEMS } from './problems/files.ts';
import { KEEPING_PROBLEMS } from './problems/keeping.ts';
import { LOOP_HISTORY_PROBLEMS } from './problems/loop-history.ts';
import { LOOP_PROBLEMS } from './problems/loops.ts';
import { PHASE_PROBLEMS } from './problems/phases.ts';
import type { RunProblem } from './problems/run-problem.ts';
import { RUN_PROBLEMS } from './problems/runs.ts';
import { TASK_PROBLEMS } from './problems/sessions.ts';
import { WORKFLOW_PROBLEMS } from './problems/workflows.ts';

export type * from './problems/run-problem.ts';

const OTHER_PROBLEMS = {
  ...COMMAND_LINE_PROBLEMS,
  ...CONVERSATION_PROBLEMS,
  ...DOOR_PROBLEMS,
  ...FILE_PROBLEMS,
  ...KEEPING_PROBLEMS,
  ...LOOP_HISTORY_PROBLEMS,
  ...LOOP_PROBLEMS,
  ...PHASE_PROBLEMS,
  ...PHASE_REFUSALS,
  ...SESSION_PROBLEMS,
  ...TASK_PROBLEMS,
  ...WORKFLOW_PROBLEMS,
};

export type Problem = RunProblem | ProblemsOf<typeof OTHER_PROBLEMS>;

const PROBLEMS = { ...OTHER_PROBLEMS, ...RUN_PROBLEMS };

/** The row of a problem, which takes the data of its own type only. */
export function formOf(problem: Problem): Form<Problem> {
  return PROBLEMS[problem.type] as unknown as Form<Problem>;
}

export function kindOf(problem: Problem): ProblemKind {
  return formOf(problem).kind;
}
