/** Changes to phases found in the agent's transcript that no hook has reported. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { parseJsonObject } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { PhasesDocument } from '../../phases/document.ts';
import { changePhases } from '../../phases/files/change-document.ts';
import { reconcile } from '../../phases/hook/reconcile.ts';
import { type PhasesPaths, phasesPaths } from '../../phases/layout.ts';
import type { Change } from '../../phases/transitions.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { phasesProblem } from './phases-problem.ts';

export type { Change } from '../../phases/transitions.ts';

/** Finds the changes. Writes nothing. */
export function missedChanges(
  { workspace }: Pick<Site, 'workspace'>,
  document: PhasesDocument,
): readonly Change[] {
  const transcriptPath = knownTranscript(phasesPaths(workspace));
  return transcriptPath === undefined ? [] : reconcile(document, { transcriptPath, workspace }).changes;
}

export interface PhasesReconciled {
  readonly changes: readonly Change[];
  readonly kept: readonly KeptFile[];
}

/** Applies the changes. Default transcript: the last one named by a hook. */
export async function reconcilePhases(
  { workspace }: Pick<Site, 'workspace'>,
  { transcript }: { readonly transcript?: string },
): Promise<Result<PhasesReconciled, Problem>> {
  const paths = phasesPaths(workspace);
  const transcriptPath = transcript === undefined ? knownTranscript(paths) : resolve(workspace, transcript);
  if (transcript !== undefined && !fs.existsSync(transcriptPath ?? ''))
    return error({ type: 'no-such-file', file: transcript });
  const changed = await changePhases(paths, 'reconcile', (document) =>
    ok(
      transcriptPath === undefined
        ? { document, changes: [] }
        : reconcile(document, { transcriptPath, workspace }),
    ),
  );
  if (changed.type === 'error') return error(phasesProblem(changed.error));
  const { changes, kept } = changed.value;
  return ok({ changes, kept });
}

/** The last transcript named by a hook. */
function knownTranscript(paths: PhasesPaths): string | undefined {
  try {
    const path = parseJsonObject(readPlainText(paths.session))?.['transcript_path'];
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}
