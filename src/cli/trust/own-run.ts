/** A run is gone on with unasked by the user who started it, on the machine where it was started. One that came with a folder is asked about. */
import { foreignInputs } from '../../engine/run-seal.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { runPaths } from '../../store/layout.ts';
import { createSeals } from '../../store/seal.ts';
import type { Claim } from '../../store/trust.ts';
import { userFolder } from '../../store/user-folder.ts';
import { quoteWords } from '../../template/quote.ts';
import type { CliContext } from '../context.ts';
import { relativeToWorkspace } from '../execute.ts';
import type { TrustOption } from '../run-options.ts';

export interface FoundRun {
  readonly runId: RunId;
  readonly events: readonly JournalEvent[];
}

export function isOwn({ events }: Pick<FoundRun, 'events'>): boolean {
  return foreignIn(events).length === 0;
}

/** False: it must not be gone on with, and why has been said. */
export async function mayGoOn(context: CliContext, run: FoundRun, flags: TrustOption): Promise<boolean> {
  const inputs = foreignIn(run.events);
  if (inputs.length === 0) return true;
  const { isAllowed } = await import('./ask.ts');
  return isAllowed(context, { folder: context.workspace, claims: [claimOf(context, run, inputs)], flags });
}

function foreignIn(events: readonly JournalEvent[]): readonly JsonValue[] {
  return foreignInputs(events, createSeals(userFolder()));
}

function claimOf(context: CliContext, { runId, events }: FoundRun, inputs: readonly JsonValue[]): Claim {
  const started = events.find((event) => event.type === 'run-started');
  const commands = [...new Set(inputs.flatMap((input) => commandsIn(input)))];
  const what = `${started?.kind ?? 'run'} \`${started?.title ?? ''}\``;
  return {
    name: `run ${runId}`,
    value: [started?.program ?? '', ...inputs],
    shown: `${what}${commands.length === 0 ? '' : `, which runs: ${commands.join('; ')}`}`,
    file: relativeToWorkspace(context, runPaths(context.workspace, runId).journal),
  };
}

/** Members of an input that are a command, or a list of commands. */
const COMMANDS: ReadonlySet<string> = new Set(['command', 'argv', 'checks']);

function commandsIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => commandsIn(each));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    COMMANDS.has(key) && Array.isArray(each) ? wordsOf(each) : commandsIn(each),
  );
}

function wordsOf(list: readonly JsonValue[]): readonly string[] {
  if (list.every((each) => Array.isArray(each))) return list.flatMap((each) => wordsOf(each));
  return [quoteWords(list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))))];
}
