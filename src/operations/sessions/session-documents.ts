import type { SessionPaths } from '../../session/layout.ts';
import { WORKFLOW_FOLDER } from '../../session/layout.ts';
import { escapeGlob } from '../../store/glob-pattern.ts';
import type { RunDocuments } from '../run-plan.ts';

/** What a run that works on a session needs of it on other machines: its folder, and which session is active. The locks are those of processes. */
export function sessionDocuments({ relative }: Pick<SessionPaths, 'relative'>): RunDocuments {
  const below = escapeGlob(relative);
  return {
    folder: relative,
    files: [`${below}/**`, `${WORKFLOW_FOLDER}/.active-*`],
    except: [`${below}/.lock*`, `${WORKFLOW_FOLDER}/.lock*`],
  };
}
