import type { Result } from '../../model/result.ts';
import { isModuleFile } from '../../store/module-file.ts';
import type { LoadOptions } from '../../workflow/load/load-workflow.ts';
import type { LoadedDefinition } from '../definitions/definition.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import { loadFileDefinition } from '../workflows/file-definition.ts';

/** Loads a workflow by the name of its file, a YAML file or code. What loads code is loaded only for code. */
export async function loadDefinition(
  site: Site,
  file: string,
  options: LoadOptions,
): Promise<Result<LoadedDefinition, InvalidFile>> {
  if (!isModuleFile(file)) return loadFileDefinition(site, file, options);
  const { loadCodeDefinition } = await import('../code/code-definition.ts');
  return loadCodeDefinition(site, file);
}
