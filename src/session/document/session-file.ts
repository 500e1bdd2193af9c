/**
 * `workflow-session.json`: the session's document. Documents of other tools are read with their words for the same facts; what they lack
 * has a default. `changeSession` writes only what it changes, so all other words stay as they are.
 */
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import { type DocumentProblem, updateDocument } from '../../store/document.ts';
import { object, oneOf, text, texts } from './fields.ts';
import { EARLIER, type FiguresByRun, figureFields, readFiguresByRun, readSpent } from './figures.ts';
import { parseObject } from './parse-object.ts';

export const SESSION_KINDS = ['workflow', 'review', 'tdd', 'test', 'docs'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export const COMPLEXITIES = ['simple', 'medium', 'complex'] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

export const PHASES = ['PLAN', 'IMPLEMENT', 'REVIEW'] as const;
export type Phase = (typeof PHASES)[number];

const SESSION_STATUSES = ['active', 'paused', 'completed'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Field names are those of the file. */
export interface SessionFile extends JsonObject {
  readonly session_id: string;
  readonly project: string;
  /** The complexity; another tool may use it for another word. */
  readonly type: string;
  readonly kind: SessionKind;
  readonly current_phase: Phase;
  readonly status: SessionStatus;
  readonly progress: {
    readonly completed_phases: readonly string[];
    readonly current_tasks: readonly string[];
  };
  /** Empty: the document does not say. */
  readonly created_at: string;
  readonly updated_at: string;
  /** The run that last executed its tasks. */
  readonly run_id?: string;
  /** The run that `session pause` stops after the tasks at work. */
  readonly paused_run?: string | undefined;
  /** The run that was started for some tasks, and executes all since `execute` was called while it waited for an answer. */
  readonly widened_run?: string;
  /** The tasks that it executes in addition; default: all. */
  readonly widened_tasks?: readonly string[] | undefined;
  /** The planning request, if it was planned. */
  readonly request?: string;
  readonly overview?: string;
  readonly requirements?: readonly string[];
  readonly notes?: string;
  /** The runs that planned it, with what each has spent. If one was interrupted, its cost is only in its journal. */
  readonly planning_runs?: JsonObject;
}

export function planningFigures({ planning_runs: runs }: SessionFile): FiguresByRun {
  return readFiguresByRun(runs);
}

export function newSessionFile(given: {
  readonly id: string;
  readonly project: string;
  readonly kind: SessionKind;
  readonly complexity: Complexity;
  readonly at: string;
}): SessionFile {
  return {
    session_id: given.id,
    project: given.project,
    type: given.complexity,
    kind: given.kind,
    current_phase: 'PLAN',
    status: 'active',
    progress: { completed_phases: [], current_tasks: [] },
    created_at: given.at,
    updated_at: given.at,
  };
}

const STATUS_WORDS: Readonly<Record<string, SessionStatus>> = {
  on_hold: 'paused',
  suspended: 'paused',
  complete: 'completed',
  done: 'completed',
  finished: 'completed',
  archived: 'completed',
};

const PHASE_WORDS: Readonly<Record<string, Phase>> = {
  PLANNING: 'PLAN',
  IMPLEMENTATION: 'IMPLEMENT',
  IMPLEMENTING: 'IMPLEMENT',
  EXECUTE: 'IMPLEMENT',
  EXECUTION: 'IMPLEMENT',
  REVIEWING: 'REVIEW',
};

/** Any object is a session. */
export function parseSessionFile(value: JsonValue): Result<SessionFile, readonly string[]> {
  const parsed = parseObject(value);
  return parsed.type === 'ok' ? ok(read(parsed.value)) : parsed;
}

function read(source: JsonObject): SessionFile {
  const meta = object(source['meta']);
  const progress = object(source['progress']);
  return {
    ...source,
    session_id: text(source['session_id']),
    project: firstText(source, ['project', 'topic', 'title', 'description', 'name']),
    type: text(source['type']),
    kind: oneOf(SESSION_KINDS, source['kind']) ?? oneOf(SESSION_KINDS, source['type']) ?? 'workflow',
    current_phase: phaseFrom(source['current_phase'] ?? source['phase']),
    status: statusFrom(source['status']),
    progress: {
      ...progress,
      completed_phases: texts(progress['completed_phases']),
      current_tasks: texts(progress['current_tasks']),
    },
    created_at:
      firstText(source, ['created_at', 'created', 'started_at', 'timestamp']) || text(meta['created']),
    updated_at: firstText(source, ['updated_at', 'updated']) || text(meta['updated']),
    ...ofType(source, 'run_id', 'string'),
    ...ofType(source, 'request', 'string'),
    ...ofType(source, 'overview', 'string'),
    ...ofType(source, 'notes', 'string'),
    ...planningRuns(source),
    ...(source['requirements'] === undefined ? {} : { requirements: texts(source['requirements']) }),
  } as unknown as SessionFile;
}

/** Earlier versions wrote one total. */
function planningRuns(source: JsonObject): JsonObject {
  const { planning_runs: runs, planning_cost_usd: cost, planning_unknown_cost_calls: unknown } = source;
  if (isJsonObject(runs)) return {};
  const spent = readSpent(cost, unknown);
  if (spent !== undefined) return { planning_runs: { [EARLIER]: figureFields({ spent }) } };
  return runs === undefined ? {} : ({ planning_runs: undefined } as unknown as JsonObject);
}

/** Optional texts of another type count as absent. */
function ofType(source: JsonObject, name: string, type: 'string'): JsonObject {
  return source[name] === undefined || typeof source[name] === type ? {} : { [name]: undefined };
}

function firstText(source: JsonObject, names: readonly string[]): string {
  return names.map((name) => text(source[name])).find((each) => each !== '') ?? '';
}

function statusFrom(value: JsonValue | undefined): SessionStatus {
  const word = text(value).toLowerCase();
  const known = oneOf(SESSION_STATUSES, word);
  return known ?? (Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined) ?? 'active';
}

function phaseFrom(value: JsonValue | undefined): Phase {
  const word = text(value).toUpperCase();
  const known = oneOf(PHASES, word);
  return known ?? (Object.hasOwn(PHASE_WORDS, word) ? PHASE_WORDS[word] : undefined) ?? 'PLAN';
}

/** `edit` returns a new document or, to leave the file as it is, the one it was given. */
export async function changeSession(
  path: string,
  edit: (file: SessionFile) => SessionFile,
): Promise<Result<SessionFile, DocumentProblem>> {
  const updated = await updateDocument(path, parseObject, (source) => {
    const before = read(source);
    const after = edit(before);
    const changed = Object.entries(after).filter(([name, value]) => !isSameJson(value, before[name]));
    if (changed.length === 0) return source;
    // `undefined` removes a member: it is not part of the text.
    return { ...source, ...Object.fromEntries(changed) };
  });
  return updated.type === 'ok' ? ok(read(updated.value)) : updated;
}
