import { activeOf, previousOf } from '../../phases/document.ts';
import { loadPhases } from '../../phases/files/change-document.ts';
import { loadTodos } from '../../phases/files/view-file.ts';
import { reconcile } from '../../phases/hook/reconcile.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { renderPhases } from '../../phases/view.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { changeLine, knownTranscript } from './change.ts';
import { type JsonFlag, tellProblem } from './tell.ts';

/** Writes nothing. */
export function show(context: CliContext, flags: JsonFlag): number {
  const { workspace } = context;
  const paths = phasesPaths(workspace);
  const loaded = loadPhases(paths);
  if (loaded.type === 'error') return tellProblem(context, loaded.error);
  const document = loaded.value;
  const todos = loadTodos(paths);
  const transcriptPath = knownTranscript(paths);
  const missed =
    transcriptPath === undefined ? [] : reconcile(document, { transcriptPath, workspace }).changes;
  if (flags.json === true) {
    context.out(`${JSON.stringify({ ...document, reconcile: missed, todos }, null, 2)}\n`);
    return EXIT.done;
  }
  context.out(printable(renderPhases(document, todos)));
  const active = activeOf(document.phases);
  const before = active === undefined ? undefined : previousOf(document, active);
  if (before !== undefined && before.context_for_next !== '')
    context.out(printable(`\nContext from ${before.id}:\n\n${before.context_for_next}\n`));
  if (missed.length > 0) {
    context.err(`missed by hooks:\n${missed.map((each) => `  ${changeLine(each)}\n`).join('')}`);
    context.err('help: `orchestrate phases reconcile` makes these changes\n');
  }
  return EXIT.done;
}
