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
/** Holds for prompts that contain this text, in place of what is said for all. */
const caseSchema = v.strictObject({ prompt: v.pipe(v.string(), v.nonEmpty()), ...turn });
/**
 * What holds for every call; what is different for some prompts, of which the first that fits counts; and what each attempt does
 * differently, of which the last is kept for all that follow.
 */
const scriptSchema = v.strictObject({
  ...turn,
  cases: v.optional(v.array(caseSchema)),
  attempts: v.optional(v.array(turnSchema)),
});

export type MockTurn = v.InferOutput<typeof turnSchema>;

export function mockTurn(
  script: JsonValue | undefined,
  call: { readonly prompt: string; readonly attempt: number },
): Result<MockTurn, string> {
  const parsed = v.safeParse(scriptSchema, script ?? {});
  if (!parsed.success) {
    const problems = parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'script'}\`: ${issue.message}`);
    return error(`the script of the mock agent is wrong: ${problems.join('; ')}`);
  }
  const { attempts, cases, ...always } = parsed.output;
  const { prompt: _, ...fitting } = cases?.find((one) => call.prompt.includes(one.prompt)) ?? { prompt: '' };
  return ok({ ...always, ...fitting, ...attempts?.[Math.min(call.attempt, attempts.length) - 1] });
}
