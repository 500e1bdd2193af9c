import type { AddTasksInput } from '../../effects/contracts.ts';
import type { Effect } from '../../engine/durable.ts';
import type { EffectOutput } from '../../model/record.ts';
import { parseSessionId } from '../ids.ts';
import { sessionPaths } from '../layout.ts';
import { takeUp } from './take-up.ts';

/** The effect `add-tasks`: doing it twice is harmless. */
export const addTasksEffect: Effect<AddTasksInput, EffectOutput> = async (input, { run }) => {
  const id = parseSessionId(input.session);
  if (id === undefined)
    return { failure: { type: 'unsafe-path', path: input.session, reason: 'is no session id' } };
  const added = await takeUp(sessionPaths(run.workspace, id), input);
  if (added.type === 'ok') return {};
  return { failure: { type: 'invalid-output', reason: 'invalid', message: added.error.message } };
};
