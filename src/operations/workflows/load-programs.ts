/** Loads the workflows in code that a workflow file calls, and checks what it gives them as far as that is known. */
import { givenInput } from '../../code/run/given-input.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import type { LoadedWorkflow } from '../../workflow/load/load-workflow.ts';
import type { ProgramUse } from '../../workflow/load/programs-used.ts';
import { type LoadedCode, loadCode } from '../code/load-code.ts';
import type { InvalidFile } from '../problem.ts';
import type { Site } from '../site.ts';
import type { LoadedFile, LoadForRun } from './load.ts';

export async function loadPrograms(
  site: Pick<Site, 'workspace' | 'modules'>,
  { own, uses }: { readonly own: Omit<LoadedWorkflow, 'programs'>; readonly uses: readonly ProgramUse[] },
  { copies }: LoadForRun,
): Promise<Result<LoadedFile, InvalidFile>> {
  const programs = new Map<string, LoadedCode>();
  const diagnostics: Diagnostic[] = [...own.warnings];
  for (const file of new Set(uses.map((use) => use.file))) {
    const loaded = await loadCode(site, file, copies === undefined ? {} : { copies });
    if (loaded.type === 'ok') programs.set(file, loaded.value);
    diagnostics.push(...(loaded.type === 'ok' ? loaded.value.warnings : loaded.error.diagnostics));
  }
  for (const use of uses) {
    const program = programs.get(use.file);
    if (program !== undefined) diagnostics.push(...(await misfits(use, program)));
  }
  if (hasErrors(diagnostics)) return error({ type: 'invalid-file', diagnostics });
  const sources = [...own.sources, ...[...programs.values()].flatMap(digestsOf)];
  const lines = [`${own.checksum}\n`, ...sources.map(({ file, digest }) => `${digest}  ${file}\n`)];
  return ok({
    ...{ ...own, sources, checksum: sha256(lines.join('')) },
    ...{ warnings: diagnostics, programs: [...programs.values()] },
  });
}

function digestsOf({ sources }: LoadedCode): LoadedFile['sources'] {
  return sources.map(({ file, digest }) => ({ file, digest }));
}

/** A value with a variable is known only when the step runs; then it is checked again. */
async function misfits(
  { input, step, file, range, rangeOf }: ProgramUse,
  { workflow }: LoadedCode,
): Promise<readonly Diagnostic[]> {
  const open = Object.keys(input).filter((name) => isOpen(input[name]));
  const fits = await givenInput(workflow, input as JsonObject);
  if (fits.type === 'ok') return [];
  return fits.error.flatMap(({ path: [name], text }): readonly Diagnostic[] => {
    // The whole cannot be judged while parts of it are unknown.
    if (name === undefined ? open.length > 0 : open.includes(name)) return [];
    return [
      {
        ...{ code: 'inputs/invalid', severity: 'error' },
        message: `step \`${step}\` calls \`${file}\`, whose input does not fit: ${text}`,
        range: name === undefined ? range : rangeOf(name),
      },
    ];
  });
}

function isOpen(value: JsonValue | undefined): boolean {
  return JSON.stringify(value)?.includes('${') === true;
}
