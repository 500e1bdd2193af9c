import * as v from 'valibot';
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';

const usage = v.strictObject({
  input_tokens: v.pipe(v.number(), v.minValue(0)),
  output_tokens: v.pipe(v.number(), v.minValue(0)),
});

const OUTCOMES = [
  'done',
  'rate-limited',
  'overloaded',
  'api-error',
  'auth',
  'denied',
  'max-turns',
  'over-budget',
  'invalid-input',
  'timed-out',
  'idle',
  'hung-after-result',
  'crashed',
  'not-found',
] as const;

const turn = {
  /** `{prompt}` stands for the prompt. */
  answer: v.optional(v.string()),
  structured: v.optional(v.unknown()),
  /** Workspace-relative path → content. */
  files: v.optional(v.record(v.string(), v.string())),
  tools: v.optional(
    v.array(
      v.strictObject({
        name: v.string(),
        input: v.optional(v.unknown()),
        output: v.optional(v.string()),
        error: v.optional(v.boolean()),
      }),
    ),
  ),
  todos: v.optional(
    v.array(
      v.strictObject({ content: v.string(), status: v.picklist(['pending', 'in_progress', 'completed']) }),
    ),
  ),
  cost_usd: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0)))),
  usage: v.optional(usage),
  turns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  delay_ms: v.optional(v.pipe(v.number(), v.minValue(0))),
  outcome: v.optional(v.picklist(OUTCOMES)),
  /** Of `rate-limited`. */
  resets_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  message: v.optional(v.string()),
};

const turnSchema = v.strictObject(turn);
/** What holds for every attempt, and what each attempt does differently; the last one is kept for all that follow. */
const scriptSchema = v.strictObject({ ...turn, attempts: v.optional(v.array(turnSchema)) });

export type MockTurn = v.InferOutput<typeof turnSchema>;

export function mockTurn(script: JsonValue | undefined, attempt: number): Result<MockTurn, string> {
  const parsed = v.safeParse(scriptSchema, script ?? {});
  if (!parsed.success) {
    const problems = parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'script'}\`: ${issue.message}`);
    return error(`the script of the mock agent is wrong: ${problems.join('; ')}`);
  }
  const { attempts, ...always } = parsed.output;
  return ok({ ...always, ...attempts?.[Math.min(attempt, attempts.length) - 1] });
}
