/** `config/workflow.yaml` and `config/tools.yaml`. */
import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { APPROVE, BUILTIN_NAMES } from '../input.ts';

const LONGEST_SEC = 2_000_000;

const words = v.pipe(v.string(), v.nonEmpty('must not be empty'));
const seconds = v.pipe(
  v.number(),
  v.gtValue(0, 'must be more than 0'),
  v.maxValue(LONGEST_SEC, `must be at most ${LONGEST_SEC}`),
);
const count = (min: number, max: number) =>
  v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );
/** Any scalar, as its source text. */
const argument = v.pipe(
  v.union([v.string(), v.number(), v.boolean()]),
  v.metadata({ reads: 'source' }),
  v.transform(String),
);
const argv = v.pipe(v.array(argument), v.nonEmpty('must name a program'));
const name = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'must consist of letters, digits, `_` and `-`, and must not start with a digit',
  ),
);
const jsonObject = v.record(v.string(), v.unknown()) as v.GenericSchema<JsonObject>;

const agent = v.strictObject({
  name: words,
  model: v.optional(words),
  permissions: v.optional(v.picklist(['default', 'bypass'])),
  args: v.optional(v.array(argument)),
  command: v.optional(argv),
  max_turns: v.optional(count(1, 10_000)),
  timeout_sec: v.optional(seconds),
  idle_timeout_sec: v.optional(seconds),
  script: v.optional(v.unknown()),
});

export const workflowSchema = v.strictObject({
  name: v.optional(words),
  task: v.optional(words),
  agent: v.optional(v.union([words, agent])),
  max_iterations: v.optional(count(1, 100_000)),
  root: v.optional(words),
  tools: v.optional(v.array(words)),
  templates: v.optional(v.strictObject({ base_prompt: v.optional(words), tool_result: v.optional(words) })),
  limits: v.optional(
    v.strictObject({
      context_budget_tokens: v.optional(count(500, 10_000_000)),
      max_consecutive_errors: v.optional(count(1, 100)),
      parallel_tools: v.optional(count(1, 64)),
    }),
  ),
});

const tool = v.strictObject({
  name,
  description: v.optional(words),
  input_schema: v.optional(jsonObject),
  command: v.optional(argv),
  builtin: v.optional(v.picklist(BUILTIN_NAMES)),
  timeout_sec: v.optional(seconds),
  retries: v.optional(count(0, 100)),
  parallel_safe: v.optional(v.boolean()),
  approve: v.optional(v.picklist(APPROVE)),
});

/** A list, or a mapping with the list under `tools`. */
export const toolsSchema = v.union([v.array(tool), v.strictObject({ tools: v.array(tool) })]);

export type WorkflowSource = v.InferOutput<typeof workflowSchema>;
export type AgentSource = v.InferOutput<typeof agent>;
export type ToolSource = v.InferOutput<typeof tool>;
