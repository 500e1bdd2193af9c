/** Loads a program in code as its run was planned, and keeps copies of its files with the run. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodeInput } from '../../code/input.ts';
import { type LoadedCode, loadCode } from '../../operations/code/load-code.ts';
import type { Site } from '../../operations/site.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { runPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';

export type PlannedCode = Pick<CodeInput, 'runId' | 'sources' | 'asStarted'> & { readonly file: string };

/** The program, or why there is none: its files were loaded to plan the run, and have changed since. */
export async function loadPlanned(site: Site, planned: PlannedCode): Promise<LoadedCode | string> {
  const { file, runId } = planned;
  const copies = runPaths(site.workspace, runId).program;
  const usesCopies = planned.asStarted === true;
  const loaded = await loadCode(site, file, usesCopies ? { copies } : {});
  if (loaded.type === 'ok' && isAsPlanned(loaded.value, planned)) {
    if (!usesCopies) keepCopies(loaded.value, copies);
    return loaded.value;
  }
  // What remains to be done of a run that was cancelled is done by the program as it was.
  if (!usesCopies && fs.existsSync(join(copies, file)))
    return loadPlanned(site, { ...planned, asStarted: true });
  if (loaded.type === 'error') return loaded.error.diagnostics.map(({ message }) => message).join('; ');
  return `\`${file}\` was changed while the run began`;
}

function isAsPlanned({ sources }: LoadedCode, planned: PlannedCode): boolean {
  return (
    sources.length === planned.sources.length &&
    sources.every(({ file, digest }) =>
      planned.sources.some((each) => each.file === file && each.digest === digest),
    )
  );
}

function keepCopies({ sources }: LoadedCode, folder: string): void {
  for (const { file, bytes } of sources) {
    const copy = `${folder}/${file}`;
    makeFolder(dirname(copy), 0o700);
    replaceFile(copy, bytes, { mode: 0o600 });
  }
}
