import { resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { NotifyChannel } from '../../model/notify.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { parseYaml } from '../../store/yaml/parse-yaml.ts';
import { readSource } from '../../store/yaml/read-source.ts';
import { readShape } from '../../store/yaml/shape/read-shape.ts';
import { shapeOf } from '../../store/yaml/shape/shape.ts';
import { type WorkflowSource, workflow } from '../schema/workflow-file.ts';
import { applyDefaults } from './apply-defaults.ts';
import { defineNotify } from './define/define-notify.ts';
import { indexSteps } from './step-index.ts';
import { suggestFile } from './suggest-file.ts';
import { suggestForm } from './suggest-form.ts';
import { suggestKey } from './suggest-key.ts';
import type { WorkflowFile } from './workflow-file.ts';

const WORKFLOW_FILE: FileKind = {
  noun: 'workflow',
  emptyHelp: 'a workflow needs at least `steps:` with a list of steps',
  ignoresExtensions: true,
  tooLargeHelp: 'move data into separate files, or parts of the workflow into files run by `call`',
  suggestKey,
  suggestForm,
};

/** Reads one file by the schema. Rules are checked and called files loaded afterwards. */
export function loadFile(workspace: string, path: string): Result<WorkflowFile, readonly Diagnostic[]> {
  const read = readSource(resolve(workspace, path), path, WORKFLOW_FILE);
  if (read.type === 'error') return error([withSuggestion(read.error, workspace, path)]);
  const { file, digest } = read.value;
  const parsed = parseYaml(file, WORKFLOW_FILE);
  if (parsed.type === 'error') return parsed;
  const { data, places, diagnostics } = readShape(
    { file, document: parsed.value, kind: WORKFLOW_FILE },
    shapeOf(workflow),
  );
  const source = data as WorkflowSource;
  const index = indexSteps(source);
  applyDefaults(source, { index, places });
  return ok({
    path,
    digest,
    source,
    places,
    index,
    diagnostics: [...diagnostics],
    called: new Map(),
    openContext: [],
  });
}

/** SHA-256 of the file, as `WorkflowFile.digest`; undefined if it cannot be read. */
export function workflowDigest(workspace: string, path: string): string | undefined {
  const read = readSource(resolve(workspace, path), path, WORKFLOW_FILE);
  return read.type === 'ok' ? read.value.digest : undefined;
}

/** Only its `notify`, which runs do not record. */
export function loadNotify(workspace: string, path: string): readonly NotifyChannel[] {
  const loaded = loadFile(workspace, path);
  return loaded.type === 'ok' ? defineNotify(loaded.value.source.notify) : [];
}

function withSuggestion(problem: Diagnostic, workspace: string, path: string): Diagnostic {
  if (problem.code !== 'workflow/cannot-read') return problem;
  const help = suggestFile(workspace, path);
  return help === undefined ? problem : { ...problem, help };
}
