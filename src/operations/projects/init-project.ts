/** Makes a folder a workspace, with a first workflow that is complete and ready to run. */
import fs from 'node:fs';
import settings from '../../../schema/config.schema.json' with { type: 'json' };
import engine from '../../../schema/engine.schema.json' with { type: 'json' };
import schema from '../../../schema/workflow.schema.json' with { type: 'json' };
import { error, ok, type Result } from '../../model/result.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import { atPlace } from '../../store/pin-inside.ts';
import { appendPlain, readPlainText } from '../../store/plain-file.ts';
import { makeFolderInside } from '../../store/safe-path.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { TEMPLATES } from './templates.ts';

const AGENTS = ['architect', 'engineer', 'qa'];
const SCHEMA_FILE = 'workflows/workflow.schema.json';

/** Where agents find their tasks and leave their work. */
const FOLDERS: readonly string[] = [
  'prompts',
  ...['artifacts', 'inbox'].flatMap((name) => AGENTS.map((agent) => `${name}/${agent}`)),
  ...['processed', 'failed'],
];

export interface ProjectMade {
  /** What was created or changed, relative to the workspace; the name of a folder ends in `/`. */
  readonly files: readonly string[];
  /** Commands to type next, in order. */
  readonly next: readonly string[];
}

/** JSON Schema of workflow files, for editors. */
export function workflowSchema(): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** JSON Schema of `config.yaml`. */
export function configSchema(): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** JSON Schema of `engine.yaml`. */
export function engineSchema(): string {
  return `${JSON.stringify(engine, null, 2)}\n`;
}

export function initProject({ workspace }: Site, name: string): Result<ProjectMade, Problem> {
  const template = TEMPLATES[name];
  if (template === undefined)
    return error({ type: 'unknown-template', template: name, templates: Object.keys(TEMPLATES) });
  const files = new Map(Object.entries(template.files));
  const taken = [...files.keys()].filter((path) => fs.existsSync(`${workspace}/${path}`));
  if (taken.length > 0) {
    return error({ type: 'project-files-exist', files: taken });
  }
  if (!fs.existsSync(`${workspace}/${SCHEMA_FILE}`)) files.set(SCHEMA_FILE, workflowSchema());
  for (const [path, contents] of files) {
    const problem = writeNew(workspace, path, contents);
    if (problem !== undefined) return error(problem);
  }
  const folders = FOLDERS.filter((path) => !fs.existsSync(`${workspace}/${path}`));
  for (const path of folders) {
    const made = makeFolderInside(workspace, path);
    if (made.type === 'error') return error({ type: 'failure', failure: made.error });
  }
  // A workspace of its own, even inside another one.
  makeOrchestrateFolder(orchestrateFolder(workspace));
  const ignored = ignoreRuns(workspace);
  if (ignored.type === 'error') return ignored;
  return ok({
    files: [...files.keys(), ...folders.map((path) => `${path}/`), ...(ignored.value ? ['.gitignore'] : [])],
    next: template.next,
  });
}

/** Adds a line to `.gitignore`; false if it has one already. */
function ignoreRuns(workspace: string): Result<boolean, Problem> {
  const written = atPlace(workspace, '.gitignore', {
    operation: 'write',
    use: (file) => {
      const text = fs.existsSync(file) ? readPlainText(file) : '';
      if (text.split(/\r?\n/).some((line) => /^\/?\.orchestrate\/?$/.test(line.trim()))) return false;
      appendPlain(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}.orchestrate/\n`, 0o644);
      return true;
    },
  });
  return written.type === 'ok' ? written : error({ type: 'failure', failure: written.error });
}

/** Never overwrites an existing file. */
function writeNew(workspace: string, path: string, contents: string): Problem | undefined {
  const written = atPlace(workspace, path, {
    ...{ operation: 'write', makeFolders: true },
    use: (file) => fs.writeFileSync(file, contents, { flag: 'wx' }),
  });
  return written.type === 'error' ? { type: 'failure', failure: written.error } : undefined;
}
