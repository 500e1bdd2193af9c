/** What a run holds besides its own lock, from before it begins until its end is recorded: data that whoever carries it out takes it by. */
import type { SessionMetadata } from '../converse/session.ts';

export interface ConversationHold {
  readonly type: 'conversation';
  readonly sessionId: string;
  /** Absolute: the workspace of the conversation. */
  readonly folder: string;
  /** As the user calls it. */
  readonly shown: string;
  readonly conversation: /** It gets its place, and with it the `base` of the run's input, when it is taken. */
    | { readonly type: 'new'; readonly metadata: SessionMetadata }
    | { readonly type: 'resumed'; readonly base: string }
    /** Its run never began, or is gone: this one takes its place. */
    | { readonly type: 'restarted'; readonly base: string; readonly insteadOf: string };
}

/** The workspace of a loop. */
export interface LoopHold {
  readonly type: 'loop';
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** A loop is logged in its workspace and told of; a report is only made. */
  readonly purpose: 'loop' | 'report';
  /** The plan takes up what the workspace's last run has left, if anything: it holds as long as that is so. */
  readonly takesUpLast?: boolean;
}

export type RunHold = ConversationHold | LoopHold;
