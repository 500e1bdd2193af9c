/**
 * Loads a YAML file into a checked `WorkflowDefinition`, or returns every mistake in it. Called workflows are loaded too, so that
 * nothing starts before everything is checked.
 */
import { relative, resolve, sep } from 'node:path';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import type { JsonObject } from '../../model/json.ts';
import type { NotifyChannel } from '../../model/notify.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { WorkflowDefinition } from '../definition.ts';
import type { StepSource } from '../schema/step.ts';
import { checkContext } from './check-context.ts';
import { checkEnvironment, type Machine } from './check-environment.ts';
import { defineNotify } from './define/define-notify.ts';
import { defineWorkflow } from './define/define-workflow.ts';
import { loadCalls } from './load-calls.ts';
import { loadFile } from './load-file.ts';
import { type ProgramUse, programsUsed } from './programs-used.ts';
import { checkRules } from './rules/check-rules.ts';
import type { WorkflowFile } from './workflow-file.ts';

export interface LoadedWorkflow {
  readonly definition: WorkflowDefinition;
  /** That of a new run: the file's, the defaults of its inputs, and the context from outside, typed. */
  readonly context: JsonObject;
  /** SHA-256 in hex: of the file, or of the list of all digests if it calls others. */
  readonly checksum: string;
  /** Every file that was read, the workflow itself first. */
  readonly sources: readonly SourceDigest[];
  readonly warnings: readonly Diagnostic[];
  readonly notify: readonly NotifyChannel[];
  /** Where it and the workflows it calls call workflows in code, which are not loaded. */
  readonly programs: readonly ProgramUse[];
}

export interface SourceDigest {
  /** Relative to the workspace. */
  readonly file: string;
  /** SHA-256 in hex. */
  readonly digest: string;
}

export interface LoadOptions {
  /** Context set from outside the file. If omitted, a key that the file does not set is only a warning. */
  readonly context?: JsonObject;
  /** The context is that of an earlier run, which checked it when it started. */
  readonly isRecorded?: boolean;
  /** The machine's environment; if omitted, it is not checked. */
  readonly machine?: Machine;
}

/** `file` is absolute or relative to the workspace. On failure, all diagnostics are returned, including warnings. */
export function loadWorkflow(
  workspace: string,
  file: string,
  options: LoadOptions = {},
): Result<LoadedWorkflow, readonly Diagnostic[]> {
  const path = relative(workspace, resolve(workspace, file)).split(sep).join('/') || '.';
  const loaded = loadFile(workspace, path);
  if (loaded.type === 'error') return loaded;
  const root = loaded.value;
  const { files, unreadable } = loadCalls(workspace, root);
  for (const each of files) checkRules(workspace, each);
  const given = checkContext(workspace, files, options);
  if (options.machine !== undefined) checkEnvironment(workspace, files, options.machine);
  const diagnostics = [...files.flatMap((each) => inOrder(each.diagnostics)), ...unreadable];
  if (hasErrors(diagnostics)) return error(diagnostics);
  const definition = defineFile(root, new Map());
  return ok({
    definition,
    context: { ...definition.context, ...given },
    checksum: checksumOf(files),
    sources: files.map(({ path, digest }) => ({ file: path, digest })),
    warnings: diagnostics,
    notify: defineNotify(root.source.notify),
    programs: files.flatMap(programsUsed),
  });
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort((a, b) => (a.range?.start ?? 0) - (b.range?.start ?? 0));
}

function defineFile(file: WorkflowFile, known: Map<WorkflowFile, WorkflowDefinition>): WorkflowDefinition {
  const called = (step: StepSource): WorkflowDefinition => {
    const target = file.called.get(step);
    if (target === undefined) throw new Error(`step \`${step.name}\` calls a workflow that was not loaded`);
    const definition = known.get(target) ?? defineFile(target, known);
    known.set(target, definition);
    return definition;
  };
  return defineWorkflow(file.source, file.path, called);
}

function checksumOf(files: readonly WorkflowFile[]): string {
  const [root, ...rest] = files;
  if (root !== undefined && rest.length === 0) return root.digest;
  const lines = files.map((file) => `${file.digest}  ${file.path}\n`);
  return sha256(lines.join(''));
}
