/** `state/<session_id>.json`: the task and progress of a conversation. */
import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import { error, ok } from '../model/result.ts';
import type { DocumentParser } from '../store/document.ts';

export const STATUSES = [
  'initialized',
  'running',
  'waiting',
  'completed',
  'failed',
  'exhausted',
  'interrupted',
] as const;

export type SessionStatus = (typeof STATUSES)[number];

export interface Session {
  readonly session_id: string;
  readonly created_at: string;
  /** The number of completed iterations. */
  readonly current_iteration: number;
  readonly status: SessionStatus;
  readonly metadata: JsonObject;
  readonly completed_at?: string;
}

const schema = v.looseObject({
  session_id: v.string(),
  created_at: v.string(),
  current_iteration: v.pipe(v.number(), v.integer(), v.minValue(0)),
  status: v.picklist(STATUSES),
  metadata: v.looseObject({}),
  completed_at: v.optional(v.string()),
});

export const parseSession: DocumentParser<Session> = (value) => {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return ok(value as unknown as Session);
  return error(parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'document'}\`: ${issue.message}`));
};

/** The program's fields in `metadata`; users may add others. */
export interface SessionMetadata {
  readonly task: string;
  readonly user: string;
  readonly agent: string;
  readonly max_iterations: number;
  readonly run_id: string;
  /** The folder whose `.orchestrate` contains the run, relative to the conversation's workspace. */
  readonly run_folder: string;
  readonly dry_run?: boolean;
}

export function newSession(sessionId: string, createdAt: string, metadata: SessionMetadata): Session {
  return {
    session_id: sessionId,
    created_at: createdAt,
    current_iteration: 0,
    status: 'initialized',
    metadata: { ...metadata },
  };
}
