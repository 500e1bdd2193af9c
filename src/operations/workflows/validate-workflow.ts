import type { Diagnostic } from '../../model/diagnostic.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { Site } from '../site.ts';
import { machine } from './machine.ts';

/** All errors and warnings of a workflow file on this machine. */
export function validateWorkflow(site: Site, file: string): readonly Diagnostic[] {
  const loaded = loadWorkflow(site.workspace, file, { machine: machine(site) });
  return loaded.type === 'ok' ? loaded.value.warnings : loaded.error;
}
