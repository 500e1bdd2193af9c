import type { Diagnostic } from '../model/diagnostic.ts';
import type { CliContext } from './context.ts';

/** Prints mistakes in a file of settings; what reads it continues without that file. */
export async function printDiagnostics(
  context: CliContext,
  diagnostics: readonly Diagnostic[],
): Promise<void> {
  const { renderDiagnostics } = await import('../report/render-diagnostic.ts');
  context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
}
