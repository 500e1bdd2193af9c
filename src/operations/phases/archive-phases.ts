import { relative } from 'node:path';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { archivePhases as archive } from '../../phases/files/change-document.ts';
import { phasesPaths } from '../../phases/layout.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { changedBy } from './change-phase.ts';
import { phasesProblem } from './phases-problem.ts';

export interface PhasesArchived {
  /** The archived document, relative to the workspace. */
  readonly path: string;
  readonly kept: readonly KeptFile[];
}

/** Moves the workflow to the archive; its history stays. */
export async function archivePhases(site: Site): Promise<Result<PhasesArchived, Problem>> {
  const archived = await archive(phasesPaths(site.workspace), changedBy(site));
  if (archived.type === 'error') return error(phasesProblem(archived.error));
  const { path, kept } = archived.value;
  return ok({ path: relative(site.workspace, path), kept });
}
