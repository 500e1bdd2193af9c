/**
 * The result of a piece of work, without everything that may differ between runs: times, durations, pids, ids of runs, and
 * how often it was interrupted. Two essences are equal if a user could not tell which of them was killed on the way.
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hasResult, type Journal, readJournals } from './journal.ts';

/** Path → contents, both normalized. */
export type Essence = Readonly<Record<string, unknown>>;

const STAGE = '.proof';
const RUN_ID = /\b\d{8}T\d{6}Z-[a-z0-9]{6}\b/g;
const TIMES = [
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b/g,
  /(?<!\d)\d{8}[T_-]\d{6}Z?(?!\d)/g,
  /\b\d{4}-\d{2}-\d{2}[T_-]\d{2}-\d{2}-\d{2}(?:-\d+Z)?\b/g,
];
const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|min)\b/g;
/** Killed calls, where a cost is text. */
const OF_UNKNOWN_COST = / \+ \d+ calls? of unknown cost\b/g;
/** Members that depend on times, attempts and processes. */
const PASSING =
  /(?:_at|At|_ms|Ms|[dD]uration|startTime|pid|nonce|bootId|repeated|wait_duration|poll_count|pollCount|inode|device|timestamp|tookOver|endedProcesses|continued|continued_from|updated|created|mtime|checksum|sha256|[dD]igest|seal|^journal|^interrupted_calls|^open_calls|^unknown_cost_calls|^unknown_token_calls|^lost_calls)$/;

/** These report what happened, kills included, or are random; the journal is compared by its answers. */
const LOGS =
  /\/(?:orchestrator\.log|journal\.jsonl|moves\.jsonl|iterate-[^/]+\.log|reports\/(?:[^/]+\/)?[^/]+|\.written\.sha256|\.config\/orchestrate\/key)$/;

export function essenceOf(folder: string): Essence {
  const journals = readJournals(folder);
  const names = namesOf(journals);
  const same = (text: string): string => {
    const named = numberless(text)
      .replaceAll(RUN_ID, (id) => names.get(id) ?? 'RUN')
      .replaceAll(folder, 'FOLDER');
    return TIMES.reduce((sum, pattern) => sum.replaceAll(pattern, 'TIME'), named);
  };
  const found: Record<string, unknown> = {};
  for (const file of filesBelow(folder)) {
    const runId = /^\.orchestrate\/runs\/([^/]+)\//.exec(file)?.[1];
    // A run killed before its first result contains nothing that could be lost, and may have been started again.
    if (runId !== undefined && !names.has(runId)) continue;
    const place = same(file);
    const whole = path.join(folder, file);
    found[place] = contentsOf(whole, same);
  }
  for (const journal of journals.filter(hasResult))
    found[same(`.orchestrate/runs/${journal.runId}/journal.jsonl`)] = answersIn(journal, same);
  return found;
}

/** Every file and link, without the stage; empty folders have a trailing slash. */
function filesBelow(folder: string, below = ''): readonly string[] {
  const entries = fs.readdirSync(path.join(folder, below), { withFileTypes: true });
  return entries
    .filter(({ name }) => below !== '' || (name !== STAGE && name !== '.git'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory()) return [name];
      const inside = filesBelow(folder, name);
      return inside.length === 0 ? [`${name}/`] : inside;
    });
}

function namesOf(journals: readonly Journal[]): ReadonlyMap<string, string> {
  return new Map(journals.filter(hasResult).map(({ runId }, index) => [runId, `RUN${index + 1}`]));
}

/** Prompts and answers are numbered by call, and an interrupted call counts. */
function numberless(text: string): string {
  return text.replaceAll(/\b(prompts|responses)\/\d{3}-/g, '$1/NNN-');
}

function contentsOf(file: string, same: (text: string) => string): unknown {
  if (file.endsWith('/')) return 'folder';
  const stat = fs.lstatSync(file);
  if (stat.isSymbolicLink()) return { link: same(fs.readlinkSync(file)) };
  if (LOGS.test(file)) return 'log';
  if (file.endsWith('.tar.gz'))
    return tarNames(gunzipSync(fs.readFileSync(file)))
      .map(same)
      .sort();
  if (file.endsWith('.zip')) return zipNames(fs.readFileSync(file)).map(same).sort();
  const text = fs.readFileSync(file, 'utf8');
  if (file.endsWith('.json')) return lasting(parsed(text), same);
  if (file.endsWith('.jsonl'))
    return text.split('\n').map((line) => (line === '' ? '' : lasting(parsed(line), same)));
  return withoutPassing(same(text));
}

function withoutPassing(text: string): string {
  return text.replaceAll(DURATION, 'DURATION').replaceAll(OF_UNKNOWN_COST, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { notJson: text };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Without passing members, also in a document that was read as text; lists of indices are sorted, since parallel work has no fixed order. */
function lasting(value: unknown, same: (text: string) => string): unknown {
  if (typeof value === 'string')
    return /^\{[\s\S]*\}\s*$/.test(value) && isJson(value)
      ? lasting(JSON.parse(value), same)
      : withoutPassing(same(value));
  if (Array.isArray(value)) {
    const members = value.filter((member) => !isContinuing(member)).map((member) => lasting(member, same));
    return members.every((member) => typeof member === 'number') ? members.sort() : members;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(withoutInterrupted(value))
      .filter(([name]) => !PASSING.test(name))
      .map(([name, member]) => [same(name), lasting(member, same)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** A killed call is counted, as one of unknown cost: the others are as many as in an undisturbed run. */
function withoutInterrupted(value: object): object {
  const { agent_calls: calls, unknown_cost_calls: unknown } = value as { [name: string]: unknown };
  return typeof calls === 'number' && typeof unknown === 'number'
    ? { ...value, agent_calls: calls - unknown }
    : value;
}

/** An interrupted agent continues its own conversation. */
function isContinuing(word: unknown): boolean {
  return typeof word === 'string' && word.startsWith('--resume=');
}

/** A look at what has changed in the tasks of a session, or the wait for a change. Which of them comes when, and what it sees, depends on the order of ends and on kills. */
const LOOK = /@tasks$|^watch-\d+\/change$/;

/** What the journal would answer to a resumed program: the last result under each key, and how it ended. */
function answersIn({ lines }: Journal, same: (text: string) => string): unknown {
  const answers: Record<string, unknown> = {};
  for (const { type, key = '', output, answer, status } of lines) {
    if (type === 'step-ended' && !LOOK.test(key)) answers[`step ${key}`] = lasting(output, same);
    if (type === 'question-answered') answers[`answer ${key}`] = lasting(answer, same);
    if (type === 'sleep-ended') answers[`sleep ${key}`] = true;
    if (type === 'time-read') answers[`time ${key}`] = true;
    if (type === 'run-ended') answers['end'] = { status, output: lasting(output, same) };
  }
  return Object.fromEntries(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function tarNames(bytes: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    names.push(bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, ''));
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 136), 8) || 0;
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}

/** From the directory at its end: 46 bytes, then the name. */
function zipNames(bytes: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = bytes.indexOf('PK\u0001\u0002'); at >= 0; at = bytes.indexOf('PK\u0001\u0002', at + 46))
    names.push(bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28)));
  return names;
}

export interface LeftAside {
  isAside(place: string): boolean;
  /** Names of members, at any depth. */
  readonly members: RegExp;
}

/** The part that must be the same even after a retry. */
export function essenceWithout(essence: Essence, { isAside, members }: LeftAside): Essence {
  const kept = Object.entries(essence).filter(([place]) => !isAside(place));
  return Object.fromEntries(kept.map(([place, contents]) => [place, withoutMembers(contents, members)]));
}

function withoutMembers(value: unknown, names: RegExp): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutMembers(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !names.test(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutMembers(member, names)]));
}
