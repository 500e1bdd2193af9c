import { resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type WorkflowSource, workflow } from '../schema.ts';
import { readShape } from './shape/read-shape.ts';
import { shapeOf } from './shape/shape.ts';
import { indexSteps } from './step-index.ts';
import type { WorkflowFile } from './workflow-file.ts';
import { parseYaml } from './yaml/parse-yaml.ts';
import { readSource } from './yaml/read-source.ts';

/** Reads one file by the schema. What the rules say, and what it calls, comes after. */
export function loadFile(workspace: string, path: string): Result<WorkflowFile, readonly Diagnostic[]> {
  const read = readSource(resolve(workspace, path), path);
  if (read.type === 'error') return error([read.error]);
  const { file, digest } = read.value;
  const parsed = parseYaml(file);
  if (parsed.type === 'error') return parsed;
  const { data, places, diagnostics } = readShape(file, parsed.value, shapeOf(workflow));
  const source = data as WorkflowSource;
  return ok({
    path,
    digest,
    source,
    places,
    index: indexSteps(source),
    diagnostics: [...diagnostics],
    called: new Map(),
    openContext: [],
  });
}
