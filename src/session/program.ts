/** The programs of sessions. */
import type { EffectMap } from '../effects/contracts.ts';
import type { Programs } from '../engine/durable.ts';
import { EXECUTE_PROGRAM, PLAN_PROGRAM, TASK_PROGRAM } from './execute/input.ts';
import { runExecution } from './execute/program.ts';
import { runTask } from './execute/task-program.ts';
import { runPlan } from './plan/program.ts';

export const sessionPrograms: Programs<EffectMap> = {
  [EXECUTE_PROGRAM]: runExecution,
  [TASK_PROGRAM]: runTask,
  [PLAN_PROGRAM]: runPlan,
};
