/**
 * Workflows that the keeper starts on its own, by their schedule or from the queue. Nobody names their files, and a repository or an
 * agent can write one: so the contents must be trusted.
 */
import { join } from 'node:path';
import type { Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { isModuleFile } from '../../store/module-file.ts';
import { readForeign } from '../../store/read-foreign.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayRun } from '../trust/may-run.ts';
import { trustOwn } from '../trust/trust-own.ts';
import type { Claim } from '../trust-book.ts';
import { importedFiles } from './imported-files.ts';

/** Checks these files together, so that the user is asked once. */
export function mayStartAlone(site: Site, files: readonly string[]): Result<void, NotTrusted> {
  return mayRun(site, site.workspace, claimsOf(site, files));
}

/** For a file that the user has named in a command. Returns what `trustOwn` does. */
export function trustNamed(site: Site, file: string): Promise<string | undefined> {
  return trustOwn(site, { folder: site.workspace, before: [], after: claimsOf(site, [file]) });
}

function claimsOf({ workspace }: Site, files: readonly string[]): readonly Claim[] {
  const called = files.flatMap((file) => [file, ...calledFrom(workspace, file)]);
  const all = called.flatMap((file) => [file, ...(isModuleFile(file) ? importedFiles(workspace, file) : [])]);
  return [...new Set(all)].sort().map((file) => {
    const text = textOf(join(workspace, file));
    const shown = called.includes(file) && !isModuleFile(file) ? 'its steps' : 'its code';
    return { name: `start of ${file}`, value: sha256(text), shown, file };
  });
}

/** Workflow files and programs in code that it calls; of one that cannot be loaded, nothing starts. */
function calledFrom(workspace: string, file: string): readonly string[] {
  if (isModuleFile(file)) return [];
  const loaded = loadWorkflow(workspace, file);
  if (loaded.type === 'error') return [];
  return [...loaded.value.sources, ...loaded.value.programs].map((called) => called.file);
}

/** As it is loaded: through links. A file that cannot be read starts nothing. */
function textOf(path: string): string {
  try {
    return readForeign(path);
  } catch {
    return '';
  }
}
