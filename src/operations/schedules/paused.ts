/** Schedules that a person paused: `.orchestrate/keeper/paused.json`, by workflow file. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { createDocument, loadDocument, updateDocument } from '../../store/document.ts';
import { keeperPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type Schedule, ScheduleFinder } from './find-schedules.ts';

export interface Pause {
  readonly isPaused: boolean;
  /** When it was paused or resumed. Times before a resumption are not made up for. */
  readonly at: string;
}

function parse(value: JsonValue): Result<JsonObject, readonly string[]> {
  return isJsonObject(value) ? ok(value) : error(['not a JSON object']);
}

/** An unreadable file pauses nothing. */
export function readPauses(workspace: string): ReadonlyMap<string, Pause> {
  const loaded = loadDocument(keeperPaths(workspace).paused, parse);
  if (loaded.type === 'error') return new Map();
  return new Map(
    Object.entries(loaded.value).flatMap(([file, value]): [string, Pause][] =>
      isJsonObject(value) ? [[file, { isPaused: value['paused'] === true, at: String(value['at']) }]] : [],
    ),
  );
}

export interface SchedulePaused {
  readonly file: string;
  readonly schedules: readonly Schedule[];
}

/** Pauses or resumes all schedules of a workflow, given by its file or name. */
export async function pauseSchedule(
  site: Site,
  asked: { readonly workflow: string; readonly isPaused: boolean },
): Promise<Result<SchedulePaused, Problem>> {
  const named = asked.workflow.includes('/') ? [asked.workflow] : [];
  const { schedules } = await new ScheduleFinder().find(site, named);
  const chosen = schedules.filter(({ file, workflow }) => [file, workflow].includes(asked.workflow));
  const [first] = chosen;
  if (first === undefined) return error(unknown(asked.workflow, schedules));
  const { folder, paused: path } = keeperPaths(site.workspace);
  makeFolder(folder, 0o700);
  const entry = { paused: asked.isPaused, at: site.now().toISOString() };
  await createDocument(path, {}, { mode: 0o600 });
  const updated = await updateDocument(path, parse, (document) => ({ ...document, [first.file]: entry }));
  if (updated.type === 'error')
    return error(
      'message' in updated.error
        ? { type: 'document-problem', problem: updated.error }
        : { type: 'locked-document', file: path },
    );
  return ok({ file: first.file, schedules: chosen });
}

function unknown(asked: string, schedules: readonly Schedule[]): Problem {
  const names = [...new Set(schedules.flatMap(({ file, workflow }) => [file, workflow]))];
  const near = nearest(asked, names);
  return {
    type: 'no-such-schedule',
    workflow: asked,
    near,
    files: [...new Set(schedules.map(({ file }) => file))],
  };
}
