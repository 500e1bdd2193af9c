import type { RunId } from '../model/ids.ts';
import { nearest } from '../model/suggest.ts';
import { runPaths } from '../store/layout.ts';
import type { CliContext } from './context.ts';
import { readState } from './read-state.ts';
import { listRunIds } from './run-ids.ts';

/** By its id, the beginning of it that only one has, or `last`. Undefined when there is none; that has been said. */
export function findRunOrTell(context: CliContext, text: string): RunId | undefined {
  const runIds = listRunIds(context.workspace);
  if (text === 'last' && runIds[0] !== undefined) return lastOf(context.workspace, runIds) ?? runIds[0];
  const found = text === '' ? [] : runIds.filter((runId) => runId.startsWith(text));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  context.err(
    runIds.length === 0 ? noRuns(text) : found.length === 0 ? unknown(text, runIds) : several(text, found),
  );
  return undefined;
}

/** The last that was run in earnest: a dry run, or a step tried alone, is called by its id. */
function lastOf(workspace: string, runIds: readonly RunId[]): RunId | undefined {
  return runIds.find((runId) => readState(runPaths(workspace, runId).state, runId)?.['trial'] === undefined);
}

function noRuns(text: string): string {
  const what =
    text === 'last'
      ? 'there is no run in this folder yet'
      : `there is no run \`${text}\`, and no other in this folder`;
  return `error: ${what}\nhelp: \`orchestrate run <workflow>\` starts one; run this where the workflow was run\n`;
}

function unknown(text: string, runIds: readonly RunId[]): string {
  const near =
    nearest(text, runIds) ??
    nearest(
      text,
      runIds.map((runId) => runId.slice(-6)),
    );
  const meant = runIds.filter((runId) => near !== undefined && runId.endsWith(near));
  const hint =
    meant.length > 0
      ? `did you mean ${list(meant)}?`
      : `the newest are ${list(runIds.slice(0, 3))}; \`orchestrate runs\` lists all`;
  return `error: there is no run \`${text}\`\nhelp: ${hint}\n`;
}

function several(text: string, found: readonly RunId[]): string {
  const shown = found.slice(0, 5);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  return `error: ${found.length} runs begin with \`${text}\`\nhelp: write more of one of ${list(shown)}${more}\n`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
