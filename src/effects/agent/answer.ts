/** What the agent answered, and whether it is what was asked for. */

import type { AgentExit } from '../../agents/classify.ts';
import { judgePlain, type PlainReading, readPlainAnswer } from '../../agents/plain.ts';
import type { AgentSummary } from '../../agents/summary.ts';
import { checkSchema } from '../../model/check-schema.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { CapturedOutput } from '../../process/request.ts';

export interface Answer {
  /** Absent: larger than what is kept in memory; the log has it. */
  readonly text?: string;
  readonly structured?: JsonValue;
  readonly failure?: Failure;
}

export interface WantedAnswer {
  readonly schema: JsonObject | undefined;
  /** Asked for and not insisted on. */
  readonly isWish: boolean;
}

const MOST_REASONS = 5;

/** Of an agent that ended well. */
export function readAnswer(summary: AgentSummary, { schema, isWish }: WantedAnswer): Answer {
  const text = summary.result?.text ?? '';
  const given = summary.result?.structured;
  if (schema === undefined || isWish) return { text, ...(given !== undefined && { structured: given }) };
  const structured = given ?? findJson(text);
  if (structured === undefined) {
    return { text, failure: schemaFailure(['it gave no structured answer, and its text holds no JSON']) };
  }
  const reasons = checkSchema(schema, structured);
  if (reasons.length > 0) return { text, failure: schemaFailure(reasons) };
  return { text: given === undefined ? text : `${JSON.stringify(given, null, 2)}\n`, structured };
}

/** Of a command that no adapter knows. */
export function readPlain(
  plain: PlainReading,
  end: { readonly exit: AgentExit; readonly stdout: CapturedOutput },
  { schema, isWish }: WantedAnswer,
): Answer {
  const failure = judgePlain(plain, end.exit);
  const read = readPlainAnswer(plain, end.stdout);
  if (read.type === 'error') return { failure: failure ?? read.error };
  const text = read.value;
  const kept = text === undefined ? {} : { text };
  if (failure !== undefined) return { ...kept, failure };
  if (schema === undefined || isWish) return kept;
  const structured = findJson(text ?? '');
  const reasons = structured === undefined ? ['its output holds no JSON'] : checkSchema(schema, structured);
  if (structured === undefined || reasons.length > 0) return { ...kept, failure: schemaFailure(reasons) };
  return { ...kept, structured };
}

function schemaFailure(reasons: readonly string[]): Failure {
  const more = reasons.length > MOST_REASONS ? ` (and ${reasons.length - MOST_REASONS} more)` : '';
  const message = `the answer does not match its schema: ${reasons.slice(0, MOST_REASONS).join('; ')}${more}`;
  return { type: 'invalid-output', reason: 'schema', message };
}

/** The whole text, the last fenced block, or what stands between the first and the last bracket. */
function findJson(text: string): JsonValue | undefined {
  const fences = [...text.matchAll(/^```(?:json)?[ \t]*\n([\s\S]*?)\n```[ \t]*$/gm)];
  const first = text.search(/[[{]/);
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const candidates = [text, fences.at(-1)?.[1], first === -1 ? undefined : text.slice(first, last + 1)];
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate) as JsonValue;
    } catch {
      // The next one.
    }
  }
  return undefined;
}
