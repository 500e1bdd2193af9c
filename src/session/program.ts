/** The programs of sessions. */
import type { EffectMap } from '../effects/contracts.ts';
import type { Programs } from '../engine/durable.ts';
import { EXECUTE_PROGRAM, PLAN_PROGRAM } from './execute/input.ts';
import { runExecution } from './execute/program.ts';
import { runPlan } from './plan/program.ts';

export const sessionPrograms: Programs<EffectMap> = {
  [EXECUTE_PROGRAM]: runExecution,
  [PLAN_PROGRAM]: runPlan,
};
