/** Loads a workflow in code: with its warnings, or with all its errors. */

import { agentNamesOf, secretNamesOf } from '../../code/definition.ts';
import { isWorkflow, type Workflow } from '../../code/written/workflow.ts';
import { defined } from '../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { ModuleSource } from '../../modules/load-module.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import { lintCode } from './lint-code.ts';
import { settingsProblems } from './settings-problems.ts';

export interface LoadedCode {
  readonly workflow: Workflow;
  /** Workspace-relative. */
  readonly file: string;
  readonly checksum: string;
  /** Names of environment variables that hold secrets, as far as the file declares them. */
  readonly secrets: readonly string[];
  /** The agent CLIs that a run may start. */
  readonly agents: readonly string[];
  readonly sources: readonly ModuleSource[];
  readonly warnings: readonly Diagnostic[];
}

export async function loadCode(
  { workspace, modules }: Pick<Site, 'workspace' | 'modules'>,
  file: string,
  { copies }: { readonly copies?: string } = {},
): Promise<Result<LoadedCode, InvalidFile>> {
  const loaded = await modules.load({ workspace, file, ...defined({ copies }) });
  if (loaded.type === 'error') return error({ type: 'invalid-file', diagnostics: loaded.error });
  const { exports, sources } = loaded.value;
  const path = sources[0]?.file ?? file;
  const workflow = exports['default'];
  const problems = isWorkflow(workflow) ? await problemsOf(workflow, path) : [notAWorkflow(exports, path)];
  const diagnostics = [...problems, ...sources.flatMap(lintCode)];
  if (!isWorkflow(workflow) || hasErrors(diagnostics)) return error({ type: 'invalid-file', diagnostics });
  return ok(loadedWorkflow(workflow, { file: path, sources, warnings: diagnostics }));
}

/** A workflow that was passed as a value has no file. */
export async function loadValue(given: unknown): Promise<Result<LoadedCode, InvalidFile>> {
  if (!isWorkflow(given)) {
    const message =
      'this is not a workflow: make one with `workflow({ name, run })`, or give the path of its file';
    const path = 'the given value';
    return error({
      type: 'invalid-file',
      diagnostics: [{ code: 'module/no-workflow', severity: 'error', path, message }],
    });
  }
  const diagnostics = await problemsOf(given, String(given.name));
  if (hasErrors(diagnostics)) return error({ type: 'invalid-file', diagnostics });
  return ok(loadedWorkflow(given, { file: given.name, sources: [], warnings: [] }));
}

export function loadedWorkflow(
  workflow: Workflow,
  { file, sources, warnings }: Pick<LoadedCode, 'file' | 'sources' | 'warnings'>,
): LoadedCode {
  return {
    ...{ workflow, file, sources, warnings },
    checksum: sha256(sources.map((each) => `${each.file} ${each.digest}\n`).join('')),
    secrets: secretNamesOf(workflow),
    agents: agentNamesOf(
      workflow,
      sources.map(({ bytes }) => Buffer.from(bytes).toString('utf8')),
    ),
  };
}

function notAWorkflow(exports: { readonly [name: string]: unknown }, path: string): Diagnostic {
  const named = Object.keys(exports).find((name) => isWorkflow(exports[name]));
  return {
    ...{ code: 'module/no-workflow', severity: 'error', path },
    message:
      'default' in exports
        ? `the default export of \`${path}\` is not a workflow`
        : `\`${path}\` has no default export`,
    help:
      named === undefined
        ? 'write `export default workflow({ name, run })`'
        : `write \`export default ${named}\``,
  };
}

async function problemsOf(workflow: Workflow, path: string): Promise<readonly Diagnostic[]> {
  const wrong = await settingsProblems(workflow);
  return wrong.map((message) => ({ code: 'module/invalid-workflow', severity: 'error', message, path }));
}
