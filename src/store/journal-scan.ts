/**
 * Reads the most frequent records of a long journal by their layout, at less than half the cost of `JSON.parse`: the members that
 * `engine/run-step.ts` writes, in its order, with keys and times in plain ASCII. A record in any other layout is left to `JSON.parse`, which gives
 * the same event; what is skipped is never more than `Detail` allows. The caller has checked the record's checksum.
 */
import type { EffectName } from '../model/effect.ts';
import type { JournalEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { endOfDigits, isAt, numberIn, ZERO } from './ascii-bytes.ts';

/**
 * `essential`: the inputs of steps are left out (`null`), except those of agent calls, which say whose cost it is. `shown`: the starts of processes
 * are left out too, which no view shows. `indexed`: so is the output of a step that succeeded at no cost, except its exit code and outcome.
 * What is left out is covered by the checksum like everything else, but not parsed.
 */
export type Detail = 'full' | 'essential' | 'shown' | 'indexed';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const SPACE = 32;
const DELETE = 127;
const CLOSE_BRACE = 125;
const TIME_LENGTH = '2026-01-31T23:59:59.999Z'.length;
/** More would not be exact. */
const MOST_DIGITS = 15;

const STEP_STARTED = Buffer.from('"type":"step-started","at":"');
const STEP_ENDED = Buffer.from('"type":"step-ended","at":"');
const PROCESS_STARTED = Buffer.from('"type":"process-started","at":"');
const BRANCH_ENDED = Buffer.from('"type":"branch-ended","at":"');
const KEY = Buffer.from('","key":"');
const EFFECT = Buffer.from('","effect":"');
const ATTEMPT = Buffer.from('","attempt":');
const INPUT = Buffer.from(',"input":');
const REPEATED = Buffer.from(',"again":"repeated"');
const ATTACHED = Buffer.from(',"again":"attached"');
/** In older journals. */
const WAS_REPEATED = Buffer.from(',"repeated":true');
const ATTEMPTS = Buffer.from('","attempts":');
const STARTED_AT = Buffer.from(',"startedAt":"');
const DURATION = Buffer.from('","durationMs":');
const OUTPUT = Buffer.from(',"output":');
const PID = Buffer.from('","pid":');
const START_TIME = Buffer.from(',"startTime":"');
const EXIT_CODE = Buffer.from('{"exitCode":');
const OUTCOME = Buffer.from(',"outcome":"');
const DONE = Buffer.from('done"');
const ITEM_COMPLETED = Buffer.from('{"note":{"type":"item-completed","index":');
const CLOSE_NOTE = Buffer.from('}}');
const FAILURE = Buffer.from('"failure":');
const SPENT = Buffer.from('"spent":');

const RUN_COMMAND = Buffer.from('run-command');
const RUN_AGENT = Buffer.from('run-agent');
const NOTE = Buffer.from('note');
const AGENT_CALL: EffectName = 'run-agent';
const COMMAND: EffectName = 'run-command';
const NOTED: EffectName = 'note';

/** `skipped`: it is of no interest. Undefined: its layout is another one. */
export type Scanned = JournalEvent | 'skipped' | undefined;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `start`: where its `"type"` begins; `end`: where its last member ends. Plain functions over positions: a cursor object makes it three times slower. */
export function scanEvent(bytes: Buffer, { start, end }: Span, detail: Detail): Scanned {
  if (isAt(bytes, start, STEP_ENDED)) return stepEnded(bytes, start + STEP_ENDED.length, end, detail);
  if (isAt(bytes, start, STEP_STARTED))
    return detail === 'full' ? undefined : stepStarted(bytes, start + STEP_STARTED.length, end);
  if (isAt(bytes, start, PROCESS_STARTED))
    return detail === 'shown' || detail === 'indexed'
      ? 'skipped'
      : processStarted(bytes, start + PROCESS_STARTED.length, end);
  if (isAt(bytes, start, BRANCH_ENDED)) return branchEnded(bytes, start + BRANCH_ENDED.length, end);
  return undefined;
}

function stepEnded(bytes: Buffer, start: number, end: number, detail: Detail): Scanned {
  const keyStart = keyAfterTime(bytes, start);
  const keyEnd = endOfText(bytes, keyStart, end);
  if (keyEnd === -1 || !isAt(bytes, keyEnd, EFFECT)) return undefined;
  const effectStart = keyEnd + EFFECT.length;
  const effectEnd = endOfText(bytes, effectStart, end);
  if (effectEnd === -1 || !isAt(bytes, effectEnd, ATTEMPTS)) return undefined;
  const attemptsStart = effectEnd + ATTEMPTS.length;
  const attemptsEnd = endOfNumber(bytes, attemptsStart, end);
  if (attemptsEnd === -1 || !isAt(bytes, attemptsEnd, STARTED_AT)) return undefined;
  const startedStart = attemptsEnd + STARTED_AT.length;
  const startedEnd = startedStart + TIME_LENGTH;
  if (!isTime(bytes, startedStart) || !isAt(bytes, startedEnd, DURATION)) return undefined;
  const durationStart = startedEnd + DURATION.length;
  const durationEnd = endOfNumber(bytes, durationStart, end);
  if (durationEnd === -1 || !isAt(bytes, durationEnd, OUTPUT)) return undefined;
  const outputStart = durationEnd + OUTPUT.length;
  if (outputStart >= end) return undefined;
  const effect = effectIn(bytes, effectStart, effectEnd);
  const output =
    outputKnown(bytes, { start: outputStart, end }, { effect, detail }) ?? parsed(bytes, outputStart, end);
  if (output === undefined) return undefined;
  return {
    type: 'step-ended',
    at: ascii(bytes, start, start + TIME_LENGTH),
    key: ascii(bytes, keyStart, keyEnd) as StepKey,
    effect,
    attempts: numberIn(bytes, attemptsStart, attemptsEnd),
    startedAt: ascii(bytes, startedStart, startedEnd),
    durationMs: numberIn(bytes, durationStart, durationEnd),
    output,
  };
}

/** An output that need not be parsed. */
function outputKnown(
  bytes: Buffer,
  place: Span,
  { effect, detail }: { readonly effect: string; readonly detail: Detail },
): JsonValue | undefined {
  if (effect === NOTED) return itemCompleted(bytes, place);
  return detail === 'indexed' && effect !== AGENT_CALL ? plainOutput(bytes, place) : undefined;
}

/** The most frequent note of a long run. */
function itemCompleted(bytes: Buffer, { start, end }: Span): JsonValue | undefined {
  if (!isAt(bytes, start, ITEM_COMPLETED)) return undefined;
  const indexStart = start + ITEM_COMPLETED.length;
  const indexEnd = endOfNumber(bytes, indexStart, end);
  if (indexEnd === -1 || indexEnd + CLOSE_NOTE.length !== end || !isAt(bytes, indexEnd, CLOSE_NOTE))
    return undefined;
  return { note: { type: 'item-completed', index: numberIn(bytes, indexStart, indexEnd) } };
}

function plainOutput(bytes: Buffer, { start, end }: Span): JsonValue | undefined {
  if (!isAt(bytes, start, EXIT_CODE)) return undefined;
  const codeStart = start + EXIT_CODE.length;
  const codeEnd = endOfNumber(bytes, codeStart, end);
  if (codeEnd === -1 || !isAt(bytes, codeEnd, OUTCOME)) return undefined;
  const outcomeStart = codeEnd + OUTCOME.length;
  const outcomeEnd = endOfText(bytes, outcomeStart, end);
  if (outcomeEnd === -1 || hasMember(bytes, outcomeEnd, end)) return undefined;
  const outcome = isAt(bytes, outcomeStart, DONE) ? 'done' : ascii(bytes, outcomeStart, outcomeEnd);
  return { exitCode: numberIn(bytes, codeStart, codeEnd), outcome };
}

function stepStarted(bytes: Buffer, start: number, end: number): Scanned {
  const keyStart = keyAfterTime(bytes, start);
  const keyEnd = endOfText(bytes, keyStart, end);
  if (keyEnd === -1 || !isAt(bytes, keyEnd, EFFECT)) return undefined;
  const effectStart = keyEnd + EFFECT.length;
  const effectEnd = endOfText(bytes, effectStart, end);
  if (effectEnd === -1 || !isAt(bytes, effectEnd, ATTEMPT)) return undefined;
  const attemptStart = effectEnd + ATTEMPT.length;
  const attemptEnd = endOfNumber(bytes, attemptStart, end);
  if (attemptEnd === -1 || !isAt(bytes, attemptEnd, INPUT)) return undefined;
  const effect = effectIn(bytes, effectStart, effectEnd);
  if (effect === AGENT_CALL) return undefined;
  const event = {
    type: 'step-started',
    at: ascii(bytes, start, start + TIME_LENGTH),
    key: ascii(bytes, keyStart, keyEnd) as StepKey,
    effect,
    attempt: numberIn(bytes, attemptStart, attemptEnd),
    input: null,
  } as const;
  if (isAt(bytes, end - REPEATED.length, REPEATED)) return { ...event, again: 'repeated' };
  if (isAt(bytes, end - ATTACHED.length, ATTACHED)) return { ...event, again: 'attached' };
  return isAt(bytes, end - WAS_REPEATED.length, WAS_REPEATED) ? { ...event, repeated: true } : event;
}

function processStarted(bytes: Buffer, start: number, end: number): Scanned {
  const keyStart = keyAfterTime(bytes, start);
  const keyEnd = endOfText(bytes, keyStart, end);
  if (keyEnd === -1 || !isAt(bytes, keyEnd, PID)) return undefined;
  const pidStart = keyEnd + PID.length;
  const pidEnd = endOfNumber(bytes, pidStart, end);
  if (pidEnd === -1 || !isAt(bytes, pidEnd, START_TIME)) return undefined;
  const timeStart = pidEnd + START_TIME.length;
  const timeEnd = endOfText(bytes, timeStart, end);
  if (timeEnd === -1 || timeEnd + 1 !== end) return undefined;
  return {
    type: 'process-started',
    at: ascii(bytes, start, start + TIME_LENGTH),
    key: ascii(bytes, keyStart, keyEnd) as StepKey,
    pid: numberIn(bytes, pidStart, pidEnd),
    startTime: ascii(bytes, timeStart, timeEnd),
  };
}

function branchEnded(bytes: Buffer, start: number, end: number): Scanned {
  const keyStart = keyAfterTime(bytes, start);
  const keyEnd = endOfText(bytes, keyStart, end);
  if (keyEnd === -1 || keyEnd + 1 !== end) return undefined;
  return {
    type: 'branch-ended',
    at: ascii(bytes, start, start + TIME_LENGTH),
    key: ascii(bytes, keyStart, keyEnd) as StepKey,
  };
}

/** Where the key starts after the time at `start`; -1 if there is none. */
function keyAfterTime(bytes: Buffer, start: number): number {
  const time = start + TIME_LENGTH;
  return isTime(bytes, start) && isAt(bytes, time, KEY) ? time + KEY.length : -1;
}

/** Where the text that starts there ends, before its quote; -1 if it is not plain ASCII. */
function endOfText(bytes: Buffer, start: number, end: number): number {
  if (start === -1) return -1;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) return i;
    if (byte === BACKSLASH || byte < SPACE || byte >= DELETE) return -1;
  }
  return -1;
}

/** A time in the usual form, as far as it needs no escapes. */
function isTime(bytes: Buffer, start: number): boolean {
  for (let i = start; i < start + TIME_LENGTH; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE || byte >= DELETE) return false;
  }
  return true;
}

/** Where the whole number that starts there ends; -1 if it is negative, a fraction or too large to be exact. */
function endOfNumber(bytes: Buffer, start: number, end: number): number {
  const after = endOfDigits(bytes, start);
  const digits = after - start;
  if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
  return after < end && (bytes[after] === COMMA || bytes[after] === CLOSE_BRACE) ? after : -1;
}

function ascii(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

/** The most frequent names are not copied, and quick to compare. */
function effectIn(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === RUN_COMMAND.length && isAt(bytes, start, RUN_COMMAND)) return COMMAND;
  if (length === NOTE.length && isAt(bytes, start, NOTE)) return NOTED;
  if (length === RUN_AGENT.length && isAt(bytes, start, RUN_AGENT)) return AGENT_CALL;
  return ascii(bytes, start, end);
}

/** Whether a failure or a cost may be in the rest, at any depth. Quotes within texts are escaped, so none is overlooked. */
function hasMember(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i += 1) {
    if (bytes[i] !== COLON || bytes[i - 1] !== QUOTE) continue;
    if (isAt(bytes, i + 1 - FAILURE.length, FAILURE) || isAt(bytes, i + 1 - SPENT.length, SPENT)) return true;
  }
  return false;
}

/** The value of the last member. Undefined if other members follow. */
function parsed(bytes: Buffer, start: number, end: number): JsonValue | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    return undefined;
  }
}
