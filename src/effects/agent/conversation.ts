/**
 * What is known about an agent's running conversation, so that a later attempt can continue it: its id, saved as soon
 * as the agent reports it, and whether anything was done in it.
 */
import fs from 'node:fs';
import { relative } from 'node:path';
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
  /** Digest of the first prompt: another prompt is another task. */
  readonly promptDigest: string;
  readonly worked: boolean;
}

export function promptDigest(prompt: string): string {
  return sha256(prompt);
}

export function keepConversation(path: string, conversation: Conversation): void {
  replaceFile(path, `${JSON.stringify(conversation, null, 2)}\n`);
}

/** Outcomes with a cause outside the conversation, so that continuing it can succeed. */
const INTERRUPTING_OUTCOMES = new Set(['rate-limited', 'overloaded']);

/** The conversation in which the last attempt of this step was interrupted, if it can be continued. */
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
    const isOpen = response === undefined || INTERRUPTING_OUTCOMES.has(String(response['outcome']));
    const isSame = kept['agent'] === wanted.agent && kept['promptDigest'] === wanted.promptDigest;
    return isOpen && isSame && kept['worked'] === true && isSessionId(sessionId) ? sessionId : undefined;
  }
  return undefined;
}

/** For CLIs that count a conversation's tokens from its start. */
export function readTotals(paths: RunPaths, sessionId: string): TokenUsage | undefined {
  const totals = readJson(conversationTotals(paths, sessionId));
  if (typeof totals?.['inputTokens'] !== 'number' || typeof totals['outputTokens'] !== 'number')
    return undefined;
  return totals as unknown as TokenUsage;
}

export function keepTotals(paths: RunPaths, sessionId: string, usage: TokenUsage): void {
  replaceFile(conversationTotals(paths, sessionId), `${JSON.stringify(usage)}\n`);
}

/** Undefined if it is missing or truncated. */
function readJson(path: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(readPlainText(path));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Relative to the run's folder: what is known of the earlier attempts of a step, and of a conversation that it continues. */
export function filesOfConversation(
  paths: RunPaths,
  call: { readonly key: StepKey; readonly attempt: number },
  sessionId: string | undefined,
): readonly string[] {
  const found: string[] = sessionId === undefined ? [] : [conversationTotals(paths, sessionId)];
  for (let attempt = 1; attempt <= call.attempt; attempt += 1) {
    const files = findCallFiles(paths, { key: call.key, attempt });
    if (files !== undefined) found.push(files.prompt, files.response, files.conversation);
  }
  return found.filter((path) => fs.existsSync(path)).map((path) => relative(paths.directory, path));
}
