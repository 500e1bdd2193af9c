/** Imports tasks from a file, without an agent. */
import { defined } from '../../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../../model/diagnostic.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../model/json.ts';
import type { KeptFile } from '../../../model/kept-file.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { SourceFile } from '../../../model/source.ts';
import { diagnosticOf } from '../../../session/check/finding.ts';
import { readTasks } from '../../../session/document/read-tasks.ts';
import type { SessionId, TaskId } from '../../../session/ids.ts';
import { prepareTasks } from '../../../session/plan/prepare-tasks.ts';
import { takeUp } from '../../../session/plan/take-up.ts';
import { jsonProblem } from '../../../store/locate-json-error.ts';
import { plainData } from '../../../store/plain-data.ts';
import type { InvalidFile, Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { keptFiles } from '../kept-files.ts';
import { vouchForNew } from '../trust-tasks.ts';
import { outlineOf, sessionThere, startFor } from './session-to-plan.ts';

export interface ImportTasks {
  /** Default: the active session, or a new one if none is active. */
  readonly session?: string | undefined;
  /** `{"tasks": [task, …]}` */
  readonly file: SourceFile;
}

export interface TasksImported {
  readonly session: SessionId;
  /** A new session was started for this. */
  readonly isNewSession: boolean;
  readonly ids: readonly TaskId[];
  readonly kept: readonly KeptFile[];
  /** Warnings about the file. */
  readonly warnings: readonly Diagnostic[];
  /** Why the user will still be asked to trust the imported commands. */
  readonly trustProblem?: string;
}

export async function importTasks(
  site: Site,
  { session: name, file }: ImportTasks,
): Promise<Result<TasksImported, Problem>> {
  const parsed = parse(file);
  if (parsed.type === 'error') return parsed;
  const given = parsed.value;
  const there = sessionThere(site, name);
  if (there.type === 'error') return there;
  const existing = there.value === undefined ? [] : readTasks(there.value.paths).map(outlineOf);
  const { documents, findings } = prepareTasks({ given, file, existing });
  const diagnostics = findings.map(diagnosticOf);
  if (hasErrors(diagnostics)) return error({ type: 'invalid-file', diagnostics });
  const opened =
    there.value === undefined ? await startFor(site, topicOf(given, file.path)) : ok(there.value);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  const problem = await vouchForNew(site, session, documents);
  const added = await takeUp(session.paths, { tasks: documents, about: aboutOf(given) });
  if (added.type === 'error') return added;
  return ok({
    session: session.id,
    isNewSession: there.value === undefined,
    ids: added.value.ids,
    kept: keptFiles(session, added.value.kept),
    warnings: diagnostics,
    ...defined({ trustProblem: problem }),
  });
}

function parse(file: SourceFile): Result<JsonValue, InvalidFile> {
  try {
    return ok(plainData(parseJson(file.text)));
  } catch (cause) {
    const { offset, message } = jsonProblem(file.text, cause);
    const offsets = { start: offset, end: offset + 1 };
    const finding = { rule: 'task/not-json', file, at: [], message, offsets } as const;
    return error({ type: 'invalid-file', diagnostics: [diagnosticOf(finding)] });
  }
}

function topicOf(given: JsonValue, path: string): string {
  const overview = isJsonObject(given) ? given['overview'] : undefined;
  return typeof overview === 'string' ? overview : path.replace(/^.*\/|\.json$/g, '');
}

function aboutOf(given: JsonValue): JsonObject {
  const { overview, requirements } = isJsonObject(given) ? given : {};
  return {
    ...(typeof overview === 'string' ? { overview } : {}),
    ...(Array.isArray(requirements) ? { requirements } : {}),
  };
}
