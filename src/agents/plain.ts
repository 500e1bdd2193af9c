/**
 * A command line without an adapter: its answer is all or part of its stdout, and its exit code decides the outcome. The user can define
 * the meaning of exit codes.
 */
import type { AgentOutcome, ExitCodeOutcome } from '../model/agent.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import {
  isJsonObject,
  type JsonValue,
  jsonText,
  MAX_ANSWER_DEPTH,
  parseJson,
  whyNotRead,
} from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { CapturedOutput } from '../process/request.ts';
import type { AgentExit } from './classify.ts';

export interface PlainReading {
  /** `text`: all of stdout; `json:<dot.path>`: that member of the JSON on stdout; `last-line`: the last line. */
  readonly result: string;
  /** 0 means `done` unless it is listed here. */
  readonly exitCodes?: { readonly [code: string]: ExitCodeOutcome };
}

/** `undefined` if the answer is too large to keep in memory; it is in the log. */
export function readPlainAnswer(
  reading: PlainReading,
  stdout: CapturedOutput,
): Result<string | undefined, Failure> {
  const isWhole = stdout.head.length === stdout.bytes;
  if (reading.result === 'text') return ok(isWhole ? stdout.head.toString() : undefined);
  if (reading.result === 'last-line') return ok(lastLine(stdout.tail.toString()));
  const path = reading.result.startsWith('json:') ? reading.result.slice('json:'.length) : undefined;
  if (path === undefined) return error(invalid('invalid', `unknown \`result\` format \`${reading.result}\``));
  if (!isWhole)
    return error(invalid('overflow', `the output has ${stdout.bytes} bytes, too many to read as JSON`));
  let value: JsonValue | undefined;
  try {
    value = parseJson(stdout.head.toString(), MAX_ANSWER_DEPTH) as JsonValue;
  } catch (cause) {
    return error(invalid('invalid', `the output is ${whyNotRead(cause)}`));
  }
  for (const segment of path === '' ? [] : path.split('.')) value = member(value, segment);
  if (value === undefined) return error(invalid('invalid', `the JSON on stdout has no \`${path}\``));
  return ok(jsonText(value));
}

function member(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1) ?? '';
}

/** `undefined` if done. */
export function judgePlain(reading: PlainReading, exit: AgentExit): Failure | undefined {
  const { ended } = exit;
  if (ended?.type === 'timed-out' || ended?.type === 'idle')
    return { type: ended.type, afterMs: ended.afterMs };
  if (exit.signal === undefined) {
    const name = reading.exitCodes?.[String(exit.exitCode)] ?? (exit.exitCode === 0 ? 'done' : undefined);
    if (name === 'done') return undefined;
    if (name !== undefined) return { type: 'agent', outcome: namedOutcome(name, exit) };
  }
  return {
    type: 'exit-code',
    exitCode: exit.exitCode,
    ...defined({ signal: exit.signal }),
  };
}

function namedOutcome(name: ExitCodeOutcome, exit: AgentExit): AgentOutcome {
  const message = exit.stderrTail.trim().split('\n').at(-1) || `exit code ${exit.exitCode}`;
  switch (name) {
    case 'done':
      return { type: name };
    case 'rate-limited':
    case 'overloaded':
    case 'api-error':
    case 'auth':
    case 'max-turns':
    case 'over-budget':
    case 'invalid-input':
    case 'crashed':
      return { type: name, message };
    case 'denied':
      return { type: name, tools: [], message };
    case 'timed-out':
    case 'idle':
      return { type: name, afterMs: 0 };
    default:
      return unreachable(name);
  }
}

function invalid(reason: 'invalid' | 'overflow', message: string): Failure {
  return { type: 'invalid-output', reason, message };
}
