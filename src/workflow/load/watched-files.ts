import { parseVariables } from '../../template/parse-variables.ts';
import { isReference } from '../../template/template.ts';
import type { Step, Text } from '../definition.ts';
import { innerSteps } from '../inner-steps.ts';
import type { LoadedWorkflow } from './load-workflow.ts';

/** The files a workflow declares that it reads and writes, as globs relative to the workspace. */
export interface WatchedFiles {
  /** The workflow itself and the ones it calls. */
  readonly sources: readonly string[];
  /** Prompts, declared dependencies and cache inputs. */
  readonly inputs: readonly string[];
  /** Its own outputs, which must not start it again. */
  readonly outputs: readonly string[];
}

export function watchedFiles(loaded: Pick<LoadedWorkflow, 'definition' | 'sources'>): WatchedFiles {
  const inputs: Text[] = [];
  const outputs: Text[] = [];
  const visit = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.inputFile !== undefined) inputs.push(step.inputFile);
      inputs.push(...(step.dependsOn?.required ?? []), ...(step.dependsOn?.optional ?? []));
      inputs.push(...(step.cache?.inputs ?? []));
      if (step.outputFile !== undefined) outputs.push(step.outputFile);
      outputs.push(...(step.expect?.files ?? []));
      for (const inner of innerSteps(step)) visit(inner);
    }
  };
  visit(loaded.definition.steps);
  visit(loaded.definition.finally);
  return {
    sources: loaded.sources.map(({ file }) => file),
    inputs: inputs.map(asGlob),
    outputs: outputs.map(asGlob),
  };
}

/** An unknown value may be any part of a name: `out/${loop.index}.md` → `out/*.md`. */
function asGlob(text: Text): string {
  return parseVariables(text)
    .template.map((part) => (isReference(part) ? '*' : part))
    .join('');
}
