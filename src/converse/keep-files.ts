/**
 * The files of a conversation. Each is written by a repeatable effect: a prompt, a response and the results are replaced as a
 * whole, the session's document is set to values from the journal, and a history line is added only once. So a kill
 * before or after any of them does no harm, and the loop need not wait for their records.
 */

import type { DocumentChange } from '../effects/contracts.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { unreachable } from '../model/unreachable.ts';
import { documentText } from '../store/document.ts';
import type { Loop, Stopped } from './conversation.ts';
import { HISTORY, sessionDocument } from './layout.ts';
import type { SessionStatus } from './session.ts';

/** They may contain anything from the prompts and answers. */
const MODE = 0o600;

export type Write =
  | { readonly type: 'text'; readonly side: string; readonly path: string; readonly text: string }
  | { readonly type: 'json'; readonly side: string; readonly path: string; readonly value: JsonValue }
  | { readonly type: 'message'; readonly side: string; readonly message: Message }
  | { readonly type: 'session'; readonly side: string; readonly set: SessionChange };

export interface Message {
  readonly iteration: number;
  readonly role: 'user' | 'assistant';
  readonly content: JsonValue;
  readonly timestamp: string;
}

export interface SessionChange {
  readonly status?: SessionStatus;
  readonly current_iteration?: number;
  readonly completed_at?: string;
}

/** Writes them in order; the first failure stops the loop. `owner` is the step they belong to. */
export async function keep(
  loop: Loop,
  owner: StepKey,
  writes: readonly Write[],
): Promise<Stopped | undefined> {
  for (const write of writes) {
    const key = sideKey(owner, write.side);
    const failure = await keepOne(loop, key, write);
    if (failure !== undefined) return { failure, failedStep: owner, retryKeys: [key] };
  }
  return undefined;
}

async function keepOne({ durable, input }: Loop, key: StepKey, write: Write) {
  const root = input.base;
  const unsynced = { syncWithNext: true };
  switch (write.type) {
    case 'text':
    case 'json': {
      const text = write.type === 'text' ? write.text : documentText(write.value);
      const file = { root, path: write.path, text, mode: MODE };
      return (await durable.step(key, 'write-file', file, unsynced)).output.failure;
    }
    case 'message': {
      const line = { ...write.message, session_id: input.sessionId } as unknown as JsonObject;
      // An answer requested again after a failure may differ; a prompt is the same.
      const sameBy = [
        'session_id',
        'iteration',
        'role',
        ...(write.message.role === 'user' ? [] : ['content']),
      ];
      const appended = await durable.step(
        key,
        'append-line',
        { root, path: HISTORY, line, sameBy, mode: MODE },
        unsynced,
      );
      return appended.output.failure;
    }
    case 'session': {
      const changes = Object.entries(write.set).map(
        ([name, value]): DocumentChange => ({ type: 'set', at: [name], value }),
      );
      const path = sessionDocument(input.sessionId);
      return (await durable.step(key, 'update-document', { root, path, changes }, unsynced)).output.failure;
    }
    default:
      return unreachable(write);
  }
}
