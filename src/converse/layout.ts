/**
 * The only file that spells paths of conversation workspaces.
 *
 *   <folder>/config/workflow.yaml  config/tools.yaml  templates/base_prompt.txt     shared by all its conversations
 *   <folder>/state/<session_id>.json          the conversation      state/<session_id>.lock   the process that runs it
 *            state/message_history.jsonl      every message         state/tool_results.json   the latest results
 *            prompts/iteration_001.txt        the prompt            responses/iteration_001.json   the answer
 *            tool_outputs/iteration_001_<tool_use_id>.txt           outputs too long for a prompt
 *   <folder>/sessions/<session_id>/state/ …   the same for every conversation after the first
 *   <folder>/archive/<session_id>.tar.gz      archived conversations
 *
 * The folder that contains `state/` and the others is a conversation's base.
 */
import { join } from 'node:path';

export const CONFIG = {
  workflow: 'config/workflow.yaml',
  tools: 'config/tools.yaml',
  basePrompt: 'templates/base_prompt.txt',
} as const;

export const HISTORY = 'state/message_history.jsonl';
export const TOOL_RESULTS = 'state/tool_results.json';
/** The folders a conversation creates in its base. */
export const CONVERSATION_FOLDERS = ['state', 'prompts', 'responses', 'tool_outputs'] as const;
/** Tools may not write to these: changing them would change what the loop does. */
export const OWN_FOLDERS = [
  ...CONVERSATION_FOLDERS,
  'config',
  'templates',
  'sessions',
  'archive',
  '.orchestrate',
] as const;

const ARCHIVE_SUFFIX = '.tar.gz';
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,79}$/;
const RESERVED = new Set(['tool_results', 'message_history']);
const ID_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text) && !RESERVED.has(text.toLowerCase());
}

/** `sess_20251116_120000_k3v9qa`, in UTC. `random` has at least six bytes. */
export function createSessionId(at: Date, random: Uint8Array): string {
  const digits = at.toISOString().replace(/\D/g, '');
  let tail = '';
  for (const byte of random.subarray(0, 6)) tail += ID_ALPHABET[byte % ID_ALPHABET.length];
  return `sess_${digits.slice(0, 8)}_${digits.slice(8, 14)}_${tail}`;
}

export function sessionsFolder(folder: string): string {
  return join(folder, 'sessions');
}

/** For a conversation that is not the first. */
export function furtherBase(folder: string, sessionId: string): string {
  return join(sessionsFolder(folder), checked(sessionId));
}

export function stateFolder(base: string): string {
  return join(base, 'state');
}

/** Relative to the base. */
export function sessionDocument(sessionId: string): string {
  return `state/${checked(sessionId)}.json`;
}

export function sessionLock(base: string, sessionId: string): string {
  return join(base, 'state', `${checked(sessionId)}.lock`);
}

/** Held briefly while the folder of a new conversation is chosen. */
export function claimLock(folder: string): string {
  return join(folder, 'state', 'claim.lock');
}

/** Relative to the base; iteration 1000 just has one more digit. */
export function promptFile(iteration: number): string {
  return `prompts/iteration_${number(iteration)}.txt`;
}

export function responseFile(iteration: number): string {
  return `responses/iteration_${number(iteration)}.json`;
}

export function toolOutputFile(iteration: number, toolUseId: string): string {
  return `tool_outputs/iteration_${number(iteration)}_${toolUseId.replace(/[^A-Za-z0-9_.-]/g, '_')}.txt`;
}

/** The folder and names of the three above. */
export const NUMBERED_FILES: readonly (readonly [folder: string, name: RegExp])[] = [
  ['prompts', /^iteration_\d{3,}\.txt$/],
  ['responses', /^iteration_\d{3,}\.json$/],
  ['tool_outputs', /^iteration_\d{3,}_[A-Za-z0-9_.-]+\.txt$/],
];

export function archiveFolder(folder: string): string {
  return join(folder, 'archive');
}

/** `number` distinguishes several archives of one conversation. */
export function archiveFile(folder: string, sessionId: string, number = 1): string {
  const name = number === 1 ? checked(sessionId) : `${checked(sessionId)}.${number}`;
  return join(archiveFolder(folder), `${name}${ARCHIVE_SUFFIX}`);
}

function number(iteration: number): string {
  return String(iteration).padStart(3, '0');
}

function checked(sessionId: string): string {
  if (!isSessionId(sessionId)) throw new Error(`malformed session id \`${sessionId}\``);
  return sessionId;
}
