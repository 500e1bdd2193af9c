/** Loads a workflow file together with the workflows in code that it calls: with its warnings, or with all its errors. */
import { hasErrors } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type LoadedWorkflow, type LoadOptions, loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { CalledProgram } from '../../workflow/run/program.ts';
import type { LoadedCode } from '../code/load-code.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';

/** Its sources and checksum cover everything. */
export interface LoadedFile extends Omit<LoadedWorkflow, 'programs'> {
  /** Loaded, in the order in which they are called. */
  readonly programs: readonly LoadedCode[];
}

export interface LoadForRun extends LoadOptions {
  /** A folder with copies of the programs: they are loaded instead. */
  readonly copies?: string;
}

export async function loadForRun(
  site: Pick<Site, 'workspace' | 'modules'>,
  file: string,
  options: LoadForRun,
): Promise<Result<LoadedFile, InvalidFile>> {
  const loaded = loadWorkflow(site.workspace, file, options);
  const diagnostics = loaded.type === 'ok' ? loaded.value.warnings : loaded.error;
  if (loaded.type === 'error' || hasErrors(diagnostics)) return error({ type: 'invalid-file', diagnostics });
  const { programs: uses, ...own } = loaded.value;
  if (uses.length === 0) return ok({ ...own, programs: [] });
  const { loadPrograms } = await import('./load-programs.ts');
  return loadPrograms(site, { own, uses }, options);
}

/** As the input of a run has them. */
export function calledPrograms(programs: readonly LoadedCode[]): {
  readonly programs?: readonly CalledProgram[];
} {
  if (programs.length === 0) return {};
  return {
    programs: programs.map(({ file, sources, secrets, agents }) => ({
      ...{ file, secrets, agents },
      sources: sources.map((source) => ({ file: source.file, digest: source.digest })),
    })),
  };
}
