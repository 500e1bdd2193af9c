/** How a run of a session is resumed: with its tasks as they are now, in the folder where the session is now. */
import { lastInput } from '../../../engine/last-input.ts';
import type { Recorded } from '../../../engine/recorded.ts';
import { defined } from '../../../model/defined.ts';
import type { JournalEvent } from '../../../model/event.ts';
import { isJsonObject } from '../../../model/json.ts';
import type { TaskId } from '../../../session/ids.ts';
import type { Session } from '../../../session/sessions/sessions.ts';
import { loadGraph } from '../../../session/sessions/tasks.ts';
import type { Beginning } from '../../run-plan.ts';
import { repeatedCalls } from './repeated-calls.ts';

export interface RunOfSession {
  readonly milestones: readonly JournalEvent[];
  readonly history: { readonly recorded: Recorded };
}

/** `named`: tasks to try again. */
export function resumeExecution(
  session: Session,
  { milestones, history }: RunOfSession,
  named: readonly TaskId[] = [],
): Beginning {
  const input = lastInput(milestones);
  const folder = session.paths.relative;
  const isMoved = isJsonObject(input) && input['folder'] !== folder;
  return {
    type: 'resume',
    ...defined({ change: isMoved ? { input: { ...input, folder }, facts: {} } : undefined }),
    again: repeatedCalls(history.recorded, loadGraph(session).tasks, named),
  };
}
