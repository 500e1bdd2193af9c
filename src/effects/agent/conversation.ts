/**
 * What is known of an agent's conversation while it goes on, so that a later try can go on with it: its id is on disk as soon
 * as the agent has told it, and whether anything was done in it.
 */
import { isSessionId } from '../../agents/session-id.ts';
import type { TokenUsage } from '../../model/agent.ts';
import type { StepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import { sha256 } from '../../model/sha256.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { conversationTotals, type RunPaths } from '../../store/layout.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { findCallFiles } from './call-files.ts';

export interface Conversation {
  readonly sessionId: string;
  readonly agent: string;
  /** Of the prompt it began with: another prompt is another task. */
  readonly promptDigest: string;
  readonly worked: boolean;
}

export function promptDigest(prompt: string): string {
  return sha256(prompt);
}

export function keepConversation(path: string, conversation: Conversation): void {
  replaceFile(path, `${JSON.stringify(conversation, null, 2)}\n`);
}

/** Outcomes whose cause lies outside the conversation, so that going on with it can succeed. */
const CUT_OFF_FROM_OUTSIDE = new Set(['rate-limited', 'overloaded']);

/** The conversation that the last try of this step was cut off in, if it can be continued. */
export function findInterrupted(
  paths: RunPaths,
  call: { readonly key: StepKey; readonly attempt: number },
  wanted: { readonly agent: string; readonly promptDigest: string },
): string | undefined {
  for (let attempt = call.attempt; attempt > 0; attempt -= 1) {
    const files = findCallFiles(paths, { key: call.key, attempt });
    if (files === undefined) continue;
    const kept = readJson(files.conversation);
    const sessionId = kept?.['sessionId'];
    if (kept === undefined || typeof sessionId !== 'string') continue;
    const response = readJson(files.response);
    const isOpen = response === undefined || CUT_OFF_FROM_OUTSIDE.has(String(response['outcome']));
    const isSame = kept['agent'] === wanted.agent && kept['promptDigest'] === wanted.promptDigest;
    return isOpen && isSame && kept['worked'] === true && isSessionId(sessionId) ? sessionId : undefined;
  }
  return undefined;
}

/** For CLIs that count a conversation's tokens from its beginning. */
export function readTotals(paths: RunPaths, sessionId: string): TokenUsage | undefined {
  const totals = readJson(conversationTotals(paths, sessionId));
  if (typeof totals?.['inputTokens'] !== 'number' || typeof totals['outputTokens'] !== 'number')
    return undefined;
  return totals as unknown as TokenUsage;
}

export function keepTotals(paths: RunPaths, sessionId: string, usage: TokenUsage): void {
  replaceFile(conversationTotals(paths, sessionId), `${JSON.stringify(usage)}\n`);
}

/** Nothing, where it is missing or was cut short. */
function readJson(path: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(readPlainText(path));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
