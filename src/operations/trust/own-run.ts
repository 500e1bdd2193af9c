/** The user who started a run on this machine can resume it without being asked. For a run that came with a folder, the user is asked. */
import { relative } from 'node:path';
import { foreignInputs } from '../../engine/run-seal.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { createSeals, type Seals } from '../../store/seal.ts';
import type { Claim } from '../../store/trust.ts';
import { userFolder } from '../../store/user-folder.ts';
import { quoteWords } from '../../template/quote.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayRun } from './may-run.ts';

export interface FoundRun {
  readonly runId: RunId;
  readonly milestones: readonly JournalEvent[];
}

export function isOwn(site: Site, { milestones }: Pick<FoundRun, 'milestones'>): boolean {
  return foreignInputs(milestones, sealsOf(site)).length === 0;
}

export function mayResume(site: Site, run: FoundRun): Result<void, NotTrusted> {
  const seals = sealsOf(site);
  const inputs = foreignInputs(run.milestones, seals);
  if (inputs.length === 0) return ok(undefined);
  const may = mayRun(site, site.workspace, [claimOf(site, run, inputs)]);
  return may.type === 'ok' ? may : error({ ...may.error, ...defined({ unread: seals.unread() }) });
}

function sealsOf({ environment }: Site): Seals {
  return createSeals(userFolder(environment));
}

function claimOf({ workspace }: Site, { runId, milestones }: FoundRun, inputs: readonly JsonValue[]): Claim {
  const started = milestones.find((event) => event.type === 'run-started');
  const commands = [...new Set(inputs.flatMap((input) => commandsIn(input)))];
  const what = `${started?.kind ?? 'run'} \`${started?.title ?? ''}\``;
  return {
    name: `run ${runId}`,
    value: [started?.program ?? '', ...inputs],
    shown: `${what}${commands.length === 0 ? '' : `, which runs: ${commands.join('; ')}`}`,
    file: relative(workspace, runPaths(workspace, runId).journal),
  };
}

/** Fields of an input that contain a command or a list of commands. */
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
