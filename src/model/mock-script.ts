/**
 * The script of the mock agent: one schema for the loader, which shows a mistake at its place in the workflow, and for the
 * agent, whose scripts come from other programs too.
 */
import * as v from 'valibot';
import { OUTCOME_NAMES } from './agent.ts';
import type { JsonValue } from './json.ts';

const json = v.unknown() as v.GenericSchema<JsonValue>;

const STRING = v.string();
const NUMBER = v.number();
const NOT_NEGATIVE = v.minValue<number, number, string>(0, 'must not be negative');

function text(description: string) {
  return v.pipe(STRING, v.description(description));
}

function amount(description: string) {
  return v.pipe(NUMBER, NOT_NEGATIVE, v.description(description));
}

/** Made when it is needed: most workflows have no mock agent. */
function makeSchemas() {
  const tool = v.strictObject({
    name: text('The name of the tool.'),
    input: v.optional(v.pipe(json, v.description('The input of the tool.'))),
    output: v.optional(text('The output of the tool.')),
    error: v.optional(v.pipe(v.boolean(), v.description('Whether it fails.'))),
  });

  const todo = v.strictObject({
    content: text('The text of the to-do.'),
    status: v.pipe(
      v.picklist(['pending', 'in_progress', 'completed']),
      v.description('The status of the to-do.'),
    ),
  });

  const usage = v.strictObject({
    input_tokens: amount('Input tokens.'),
    output_tokens: amount('Output tokens.'),
  });

  const turn = {
    answer: v.optional(text('Its final text; `{prompt}` stands for the prompt.')),
    structured: v.optional(v.pipe(json, v.description('Its structured answer.'))),
    files: v.optional(
      v.pipe(
        v.record(v.string(), v.string()),
        v.description('Files it writes before it answers: path in the workspace → content.'),
      ),
    ),
    tools: v.optional(v.pipe(v.array(tool), v.description('Tool calls to show.'))),
    todos: v.optional(v.pipe(v.array(todo), v.description('The to-do list to show.'))),
    cost_usd: v.optional(
      v.pipe(
        v.union([amount('In US dollars.'), v.null()]),
        v.description('The cost it reports; `null` for unknown.'),
      ),
    ),
    usage: v.optional(v.pipe(usage, v.description('The token usage it reports.'))),
    turns: v.optional(
      v.pipe(
        v.number(),
        v.integer('must be a whole number'),
        v.minValue(1, 'must be at least 1'),
        v.description('The number of turns it reports.'),
      ),
    ),
    delay_ms: v.optional(amount('How long it takes.')),
    outcome: v.optional(v.pipe(v.picklist(OUTCOME_NAMES), v.description('How it ends.'))),
    resets_at: v.optional(
      v.pipe(
        v.string(),
        v.isoTimestamp('must be a time like `2026-01-31T12:00:00Z`'),
        v.description('With `outcome: rate-limited`: when the limit ends.'),
      ),
    ),
    message: v.optional(text('The message of an outcome other than `done`.')),
  };

  const mockTurn = v.strictObject(turn);

  const mockCase = v.strictObject({
    prompt: v.pipe(
      v.string(),
      v.nonEmpty('must not be empty'),
      v.description('The case applies to prompts that contain this text.'),
    ),
    ...turn,
  });

  const script = v.strictObject({
    ...turn,
    cases: v.optional(
      v.pipe(
        v.array(mockCase),
        v.description('Differences for some prompts; the first case that matches is used.'),
      ),
    ),
    attempts: v.optional(
      v.pipe(
        v.array(mockTurn),
        v.description('Differences per attempt; the last applies to all later attempts.'),
      ),
    ),
  });
  return { script, mockTurn };
}

let made: ReturnType<typeof makeSchemas> | undefined;

export const mockScript = v.lazy(() => {
  made ??= makeSchemas();
  return made.script;
});

export type MockTurn = v.InferOutput<ReturnType<typeof makeSchemas>['mockTurn']>;
