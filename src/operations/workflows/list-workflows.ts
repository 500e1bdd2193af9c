/** The workflow files of a workspace: those in `workflows/`, and those at its top. */
import fs from 'node:fs';
import { join } from 'node:path';
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
}

const MOST_FILES = 200;

export function listWorkflows({ workspace }: Pick<Site, 'workspace'>): readonly ListedWorkflow[] {
  const files = ['workflows', '.'].flatMap((folder) =>
    yamlFiles(join(workspace, folder)).map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  );
  return files.slice(0, MOST_FILES).flatMap((file): readonly ListedWorkflow[] => {
    const loaded = loadWorkflow(workspace, file);
    if (loaded.type === 'ok') {
      const { name, description } = loaded.value.definition;
      return [{ file, name, ...(description === undefined ? {} : { description }) }];
    }
    // Other YAML files are at the top of many projects.
    return file.startsWith('workflows/') ? [{ file, name: file, mistakes: loaded.error.length }] : [];
  });
}

function yamlFiles(folder: string): readonly string[] {
  try {
    return namesIn(folder).filter(
      (name) => /\.ya?ml$/.test(name) && fs.lstatSync(join(folder, name)).isFile(),
    );
  } catch {
    return [];
  }
}
