/** What a run locks besides itself, from before it starts until its end is recorded. As data: the process that carries out the run locks it. */
import type { SessionMetadata } from '../converse/session.ts';

export interface ConversationHold {
  readonly type: 'conversation';
  readonly sessionId: string;
  /** The workspace of the conversation. This and `base` are relative to that of the run; absolute only outside it. */
  readonly folder: string;
  /** The path as the user wrote it. */
  readonly shown: string;
  readonly conversation: /** Its folder, and with it the `base` in the run's input, is decided when it is locked. */
    | { readonly type: 'new'; readonly metadata: SessionMetadata }
    | { readonly type: 'resumed'; readonly base: string }
    /** Its run never started or was removed; this run replaces it. */
    | { readonly type: 'restarted'; readonly base: string; readonly insteadOf: string };
}

/** The workspace of a loop. */
export interface LoopHold {
  readonly type: 'loop';
  readonly name: string;
  /** Relative to the workspace of the run; absolute only outside it. */
  readonly folder: string;
  /** A loop writes logs to its workspace and sends notifications; a report does neither. */
  readonly purpose: 'loop' | 'report';
  /** The plan depends on whether the workspace's last run was unfinished; it is valid only while that has not changed. */
  readonly takesUpLast?: boolean;
}

export type RunHold = ConversationHold | LoopHold;
