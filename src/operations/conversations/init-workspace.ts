/** Creates a workspace for conversations. */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { claimsOf } from '../../converse/config/claims.ts';
import { loadConfig } from '../../converse/config/load-config.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { placeFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { trustOwn } from '../trust/trust-own.ts';
import { TEMPLATES } from './templates.ts';

export interface InitWorkspace {
  readonly dir: string;
  /** One of `TEMPLATES`. */
  readonly template: string;
}

export interface WorkspaceMade {
  /** The files written, as the user would name them. */
  readonly files: readonly string[];
  /** Why not all files were written. */
  readonly problem?: Problem;
  /** Why the user will still be asked to trust these settings. */
  readonly untrusted?: string;
}

/** Creates the initial files of a workspace. Never overwrites a file. */
export async function initWorkspace(
  site: Site,
  { dir, template: name }: InitWorkspace,
): Promise<Result<WorkspaceMade, Problem>> {
  const template = TEMPLATES[name];
  if (template === undefined)
    return error({ type: 'unknown-workspace-template', template: name, templates: Object.keys(TEMPLATES) });
  const folder = realPath(resolve(site.workspace, dir));
  const taken = Object.keys(template.files).filter((path) => fs.existsSync(join(folder, path)));
  if (taken.length > 0) {
    return error({ type: 'workspace-files-exist', files: taken.map((path) => join(dir, path)) });
  }
  const files: string[] = [];
  for (const [path, contents] of Object.entries(template.files)) {
    const shown = join(dir, path);
    try {
      place(join(folder, path), contents);
    } catch (cause) {
      return ok({
        files,
        problem: { type: 'cannot-write-file', file: shown, code: errnoOf(cause) },
      });
    }
    files.push(shown);
  }
  const untrusted = await trustFiles(site, { folder, shown: dir });
  return ok({ files, ...defined({ untrusted }) });
}

function place(file: string, contents: string): void {
  makeFolder(dirname(file));
  if (!placeFile(file, contents, { mode: 0o644 }))
    throw new Error(`\`${file}\` was created by another process`);
}

/** Trusts the settings the user has just created. */
async function trustFiles(
  site: Site,
  { folder, shown }: { readonly folder: string; readonly shown: string },
): Promise<string | undefined> {
  const real = fs.realpathSync(folder);
  const config = loadConfig({ folder: real, shown });
  if (config.type === 'error') return undefined;
  return trustOwn(site, { folder, before: [], after: claimsOf(config.value, real) });
}
