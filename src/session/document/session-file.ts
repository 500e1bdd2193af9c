/** `workflow-session.json`: the session's document. Unknown fields are kept. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { parseSessionId, type SessionId } from '../ids.ts';

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
  readonly session_id: SessionId;
  readonly project: string;
  readonly type: Complexity;
  readonly kind: SessionKind;
  readonly current_phase: Phase;
  readonly status: SessionStatus;
  readonly progress: {
    readonly completed_phases: readonly string[];
    readonly current_tasks: readonly string[];
  };
  readonly created_at: string;
  readonly updated_at: string;
  /** The run that last executed its tasks. */
  readonly run_id?: string;
  /** The planning request, if it was planned. */
  readonly request?: string;
  readonly overview?: string;
  readonly requirements?: readonly string[];
  readonly notes?: string;
  /** Cost of the planning agent; `null`: not reported. */
  readonly planning_cost_usd?: number | null;
}

export function newSessionFile(given: {
  readonly id: SessionId;
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

/** A file in the original format, without the fields added since, is valid. */
export function parseSessionFile(value: JsonValue): Result<SessionFile, readonly string[]> {
  if (!isJsonObject(value)) return error(['not a JSON object']);
  const problems: string[] = [];
  const { session_id: id, project, progress, created_at, updated_at } = value;
  if (typeof id !== 'string' || parseSessionId(id) === undefined)
    problems.push('`session_id` must have the form `WFS-<slug>`');
  if (typeof project !== 'string') problems.push('`project` must be a string');
  const checkWord = (name: string, words: readonly string[], needed: boolean): void => {
    const word = value[name];
    if (word === undefined && !needed) return;
    if (typeof word !== 'string' || !words.includes(word))
      problems.push(`\`${name}\` must be one of ${words.join(', ')}`);
  };
  checkWord('type', COMPLEXITIES, true);
  checkWord('kind', SESSION_KINDS, false);
  checkWord('current_phase', PHASES, true);
  checkWord('status', SESSION_STATUSES, true);
  if (progress !== undefined && !isJsonObject(progress)) problems.push('`progress` must be an object');
  if (problems.length > 0) return error(problems);
  const inside = isJsonObject(progress) ? progress : {};
  return ok({
    ...value,
    kind: value['kind'] ?? 'workflow',
    progress: {
      ...inside,
      completed_phases: strings(inside['completed_phases']),
      current_tasks: strings(inside['current_tasks']),
    },
    created_at: typeof created_at === 'string' ? created_at : '',
    updated_at: typeof updated_at === 'string' ? updated_at : '',
  } as unknown as SessionFile);
}

function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
