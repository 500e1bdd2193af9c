/** Reads the agent's answer and checks it against the request. */
import type { AgentExit } from '../../agents/classify.ts';
import { judgePlain, type PlainReading, readPlainAnswer } from '../../agents/plain.ts';
import type { AgentSummary } from '../../agents/summary.ts';
import { checkSchema } from '../../model/check-schema.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { fencedBlocks } from '../../model/fence.ts';
import { type JsonObject, type JsonValue, MAX_ANSWER_DEPTH, parseJson } from '../../model/json.ts';
import type { CapturedOutput } from '../../process/request.ts';

export interface Answer {
  /** Undefined if it exceeds what is kept in memory; the log has it. */
  readonly text?: string;
  readonly structured?: JsonValue;
  readonly failure?: Failure;
}

export interface WantedAnswer {
  readonly schema: JsonObject | undefined;
  /** The schema is requested but not enforced. */
  readonly isWish: boolean;
}

const MOST_REASONS = 5;

/** For an agent that ended well. */
export function readAnswer(summary: AgentSummary, { schema, isWish }: WantedAnswer): Answer {
  const text = summary.result?.text ?? '';
  const given = summary.result?.structured;
  if (schema === undefined || isWish) return { text, ...defined({ structured: given }) };
  const found: Found = given === undefined ? findJson(text) : { type: 'found', value: given };
  if (found.type === 'none') {
    return { text, failure: schemaFailure([found.why]) };
  }
  const structured = found.value;
  const reasons = checkSchema(schema, structured);
  if (reasons.length > 0) return { text, failure: schemaFailure(reasons) };
  return { text: given === undefined ? text : `${JSON.stringify(given, null, 2)}\n`, structured };
}

/** For a command without an adapter. */
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
  const found = findJson(text ?? '');
  if (found.type === 'none') return { ...kept, failure: schemaFailure([found.why]) };
  const reasons = checkSchema(schema, found.value);
  if (reasons.length > 0) return { ...kept, failure: schemaFailure(reasons) };
  return { ...kept, structured: found.value };
}

function schemaFailure(reasons: readonly string[]): Failure {
  const more = reasons.length > MOST_REASONS ? ` (and ${reasons.length - MOST_REASONS} more)` : '';
  const message = `answer rejected by its schema: ${reasons.slice(0, MOST_REASONS).join('; ')}${more}`;
  return { type: 'invalid-output', reason: 'schema', message };
}

type Found =
  | { readonly type: 'found'; readonly value: JsonValue }
  | { readonly type: 'none'; readonly why: string };

/** The whole text, the last fenced block that is JSON, or the text between the first and the last bracket. */
function findJson(text: string): Found {
  let why = 'no JSON found in it';
  for (const candidate of candidatesIn(text)) {
    try {
      return { type: 'found', value: parseJson(candidate, MAX_ANSWER_DEPTH) as JsonValue };
    } catch (cause) {
      if (cause instanceof RangeError) why = `its JSON is ${cause.message}`;
    }
  }
  return { type: 'none', why };
}

function* candidatesIn(text: string): Generator<string> {
  yield text;
  for (const { language, text: block } of fencedBlocks(text).toReversed()) {
    if (language === '' || language === 'json') yield block;
  }
  const first = text.search(/[[{]/);
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (first !== -1) yield text.slice(first, last + 1);
}
