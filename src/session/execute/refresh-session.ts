import type { RefreshSessionInput } from '../../effects/contracts.ts';
import type { Effect } from '../../engine/durable.ts';
import { keptText } from '../../model/kept-file.ts';
import type { EffectOutput } from '../../model/record.ts';
import { fileFailure } from '../../store/safe-path.ts';
import { parseSessionId } from '../ids.ts';
import { sessionPaths } from '../layout.ts';
import { writeViews } from '../views/write-views.ts';

/** The effect `refresh-session`. Repeating it is harmless. */
export const refreshSession: Effect<RefreshSessionInput, EffectOutput> = async (
  { session },
  { run, emit },
) => {
  const id = parseSessionId(session);
  if (id === undefined)
    return { failure: { type: 'unsafe-path', path: session, reason: 'is not a session id' } };
  const paths = sessionPaths(run.workspace, id);
  try {
    const written = await writeViews(paths);
    if (written.type === 'ok') {
      for (const kept of written.value.kept) emit({ type: 'message', text: keptText(kept, paths.relative) });
      return {};
    }
    const code = written.error.type === 'held' ? 'EBUSY' : 'EIO';
    return 'message' in written.error
      ? { failure: { type: 'invalid-output', reason: 'invalid', message: written.error.message } }
      : { failure: { type: 'file', operation: 'write', path: paths.relative, code } };
  } catch (cause) {
    return { failure: fileFailure('write', paths.relative, cause) };
  }
};
