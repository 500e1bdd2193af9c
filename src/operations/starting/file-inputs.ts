/** The inputs of a workflow, which is a YAML file or code, by the name of its file. Code is loaded only for code. */
import type { Result } from '../../model/result.ts';
import { isModuleFile } from '../../store/module-file.ts';
import { withCodeApart } from '../code-apart.ts';
import type { WorkflowInputs } from '../definitions/inputs.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { workflowInputs } from '../workflows/workflow-inputs.ts';

export async function fileInputs(site: Site, file: string): Promise<Result<WorkflowInputs, Problem>> {
  if (!isModuleFile(file)) return workflowInputs(site, file);
  return withCodeApart(site, { operation: 'file-inputs', asked: { file } }, async (here) => {
    const { codeInputs } = await import('../code/code-inputs.ts');
    return codeInputs(here, file);
  });
}
