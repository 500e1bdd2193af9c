/** The workflow files of a workspace: those in `workflows/`, and those at its top. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { CODE_FILE } from '../../store/module-file.ts';
import { namesIn } from '../../store/names-in.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { Site } from '../site.ts';

export interface ListedWorkflow {
  /** Relative to the workspace. */
  readonly file: string;
  readonly name: string;
  readonly description?: string;
  /** Number of mistakes in the file; it cannot be started. */
  readonly mistakes?: number;
  /** Written in TypeScript or JavaScript. */
  readonly is_code?: true;
}

const MOST_FILES = 200;

export function listWorkflows({ workspace }: Pick<Site, 'workspace'>): readonly ListedWorkflow[] {
  const files = ['workflows', '.'].flatMap((folder) =>
    workflowFiles(join(workspace, folder)).map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  );
  return files.slice(0, MOST_FILES).flatMap((file): readonly ListedWorkflow[] => {
    // Its own name is known only when it is loaded, which runs it. That is done when it is chosen.
    if (CODE_FILE.test(file)) return [{ file, name: basename(file).replace(CODE_FILE, ''), is_code: true }];
    const loaded = loadWorkflow(workspace, file);
    if (loaded.type === 'ok') {
      const { name, description } = loaded.value.definition;
      return [{ file, name, ...defined({ description }) }];
    }
    // Other YAML files are at the top of many projects.
    return file.startsWith('workflows/') ? [{ file, name: file, mistakes: loaded.error.length }] : [];
  });
}

function workflowFiles(folder: string): readonly string[] {
  try {
    return namesIn(folder).filter(
      (name) => (/\.ya?ml$/.test(name) || CODE_FILE.test(name)) && fs.lstatSync(join(folder, name)).isFile(),
    );
  } catch {
    return [];
  }
}
