import type { AddTasksInput } from '../../effects/contracts.ts';
import type { Effect } from '../../engine/durable.ts';
import { keptText } from '../../model/kept-file.ts';
import type { EffectOutput } from '../../model/record.ts';
import { parseSessionId } from '../ids.ts';
import { sessionPaths } from '../layout.ts';
import { sessionProblemText } from '../problem.ts';
import { takeUp } from './take-up.ts';

/** The effect `add-tasks`: repeating it is harmless. */
export const addTasksEffect: Effect<AddTasksInput, EffectOutput> = async (input, { run, emit }) => {
  const id = parseSessionId(input.session);
  if (id === undefined)
    return { failure: { type: 'unsafe-path', path: input.session, reason: 'is not a session id' } };
  const paths = sessionPaths(run.workspace, id);
  const added = await takeUp(paths, { ...input, runId: run.runId });
  if (added.type === 'ok') {
    for (const kept of added.value.kept) emit({ type: 'message', text: keptText(kept, paths.relative) });
    return {};
  }
  return { failure: { type: 'invalid-output', reason: 'invalid', message: sessionProblemText(added.error) } };
};
