/** Creates a first workflow in a folder: complete and ready to run. */
import fs from 'node:fs';
import schema from '../../../schema/workflow.schema.json' with { type: 'json' };
import { describeFailure } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { atPlace } from '../../store/pin-inside.ts';
import { type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';
import { TEMPLATES } from './templates.ts';

const SCHEMA_FILE = 'workflows/workflow.schema.json';

export interface ProjectMade {
  /** Relative to the workspace. */
  readonly files: readonly string[];
  /** Commands to type next, in order. */
  readonly next: readonly string[];
}

/** JSON Schema of workflow files, for editors. */
export function workflowSchema(): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

export function initProject({ workspace }: Site, name: string): Result<ProjectMade, Refused> {
  const template = TEMPLATES[name];
  if (template === undefined)
    return error(
      refused('not-found', `unknown template \`${name}\``, `use one of ${Object.keys(TEMPLATES).join(', ')}`),
    );
  const files = new Map(Object.entries(template.files));
  const taken = [...files.keys()].filter((path) => fs.existsSync(`${workspace}/${path}`));
  if (taken.length > 0) {
    const names = taken.map((path) => `\`${path}\``).join(', ');
    return error(
      refused(
        'conflict',
        `${names} already ${taken.length === 1 ? 'exists' : 'exist'}; nothing was written`,
        'use another folder, or choose another `--template`',
      ),
    );
  }
  if (!fs.existsSync(`${workspace}/${SCHEMA_FILE}`)) files.set(SCHEMA_FILE, workflowSchema());
  for (const [path, contents] of files) {
    const problem = writeNew(workspace, path, contents);
    if (problem !== undefined) return error(problem);
  }
  return ok({ files: [...files.keys()], next: template.next });
}

/** Never overwrites an existing file. */
function writeNew(workspace: string, path: string, contents: string): Refused | undefined {
  const written = atPlace(workspace, path, {
    ...{ operation: 'write', makeFolders: true },
    use: (file) => fs.writeFileSync(file, contents, { flag: 'wx' }),
  });
  return written.type === 'error' ? refused('failed', describeFailure(written.error)) : undefined;
}
