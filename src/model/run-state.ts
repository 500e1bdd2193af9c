/**
 * The contents of `state.json`, under its own names: the stable interface for users, scripts and the dashboard. A function of the
 * journal's events, computed by the engine (`fold-state.ts`), and never read back by a run.
 */
import type { RunStatus } from './event.ts';
import type { Field } from './field.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ResumeAdvice } from './resume-advice.ts';

export const STATE_SCHEMA_VERSION = 1;

export interface RunState {
  readonly schema_version: number;
  readonly run_id: string;
  readonly kind: string;
  readonly title: string;
  started_at: string;
  updated_at: string;
  completed_at?: string;
  /** How long processes have executed it. */
  duration_ms: number;
  status: RunStatus;
  /** Fields of the run's kind: `workflow_file`, `workflow_checksum`, `context`, … */
  [fact: string]: unknown;
  current_step: string | null;
  readonly steps: StateSteps;
  readonly for_each: { [loop: string]: LoopState };
  waiting_for?: { [key: string]: QuestionState };
  sleeping_until?: { [key: string]: string };
  /** Steps whose agent is at its usage limit; they are retried when it ends. */
  limits?: { [key: string]: LimitState };
  error?: { message: string; type: string; step?: string; resume?: ResumeAdvice };
  readonly totals: Totals;
  /** What the agent calls of this run cost, by day, agent and model; without those that a fork reuses. Omitted if no agent was called. */
  spending?: SpendingState[];
  /** The agent calls that are running. */
  open_calls?: { readonly [key: string]: CallState };
  /** The agent calls that ended with the process of the run: what they cost is unknown. Omitted once the run is resumed. */
  interrupted_calls?: { readonly [key: string]: CallState };
}

/** Step name → its record; for a `for_each`, the array of its iterations. */
export interface StateSteps {
  [name: string]: StepState | StateSteps[];
}

export interface StepState {
  /** `interrupted`: it was running when the run stopped. `cancelled`: the workflow stopped its branch. */
  status: 'running' | 'completed' | 'failed' | 'skipped' | 'interrupted' | 'cancelled';
  exit_code?: number;
  /** It failed, and its `allow_failure` let the run continue. */
  failure_allowed?: boolean;
  outcome?: string;
  started_at?: string;
  completed_at?: string;
  duration_ms?: number;
  attempts?: number;
  visits?: number;
  /** How earlier visits ended, oldest first. */
  earlier_visits?: EarlierVisit[];
  repeated?: boolean;
  output_capture?: 'text' | 'lines' | 'json';
  output?: string;
  lines?: readonly string[];
  json?: JsonValue;
  values?: { readonly [name: string]: JsonValue };
  truncated?: boolean;
  /** Captured fields left out to keep the view small; the journal has them. */
  left_out?: readonly string[];
  files?: readonly string[];
  /** Seconds. */
  wait_duration?: number;
  wait_duration_ms?: number;
  poll_count?: number;
  timed_out?: boolean;
  artifacts?: readonly string[];
  cost_usd?: number | null;
  /** Calls without a reported cost, in addition to `cost_usd`. */
  unknown_cost_calls?: number;
  usage?: JsonValue;
  session_id?: string;
  debug?: JsonObject;
  error?: StepError;
  /** Why the program decided as it did. */
  decisions?: string[];
  iterations?: StateSteps[];
  branches?: { [branch: string]: StateSteps };
  steps?: StateSteps;
}

export function holdsOthers(step: Pick<StepState, 'iterations' | 'branches' | 'steps'>): boolean {
  return step.iterations !== undefined || step.branches !== undefined || step.steps !== undefined;
}

export type EarlierVisit = Pick<
  StepState,
  | 'status'
  | 'exit_code'
  | 'failure_allowed'
  | 'outcome'
  | 'started_at'
  | 'duration_ms'
  | 'attempts'
  | 'cost_usd'
  | 'unknown_cost_calls'
> & { readonly error?: Pick<StepError, 'message' | 'type'> } & VisitInside;

/** What a step of an earlier visit contains: removed from the view, oldest first, if there is too much of it. */
export type VisitInside = Pick<StepState, 'iterations' | 'branches' | 'steps'> & {
  /** Loops inside it, as in the `for_each` of the run. */
  for_each?: { [loop: string]: LoopState };
  inside_left_out?: true;
};

export interface StepError {
  message: string;
  type: string;
  exit_code: number;
  stdout_tail?: string;
  stderr_tail?: string;
  context?: JsonObject;
}

export interface LoopState {
  readonly items: readonly JsonValue[];
  /** Number of items left out to keep the view small; the journal has them. */
  readonly items_left_out?: number;
  readonly completed_indices: number[];
  current_index: number | null;
  status?: string;
  started_at?: string;
  duration_ms?: number;
  visits?: number;
  earlier_visits?: EarlierLoopVisit[];
  exit_code?: number;
  failure_allowed?: boolean;
  error?: StepError;
}

export type EarlierLoopVisit = Pick<
  LoopState,
  'status' | 'started_at' | 'duration_ms' | 'failure_allowed'
> & {
  readonly items: number;
  readonly items_completed: number;
  /** The values of its items. */
  item_values?: readonly JsonValue[];
  readonly error?: Pick<StepError, 'message' | 'type'>;
} & Pick<VisitInside, 'iterations' | 'for_each' | 'inside_left_out'>;

export interface QuestionState {
  readonly message: string;
  readonly choices: readonly string[];
  readonly asked_at: string;
  readonly expires_at?: string;
  readonly default?: string;
  readonly fields?: readonly Field[];
  /** A patch about which it asks, relative to the run's folder. */
  readonly diff?: string;
  readonly detail?: string;
}

export interface LimitState {
  readonly since: string;
  readonly next_at: string;
  /** Omitted if the agent does not report when the limit ends; it is then retried after growing delays. */
  readonly resets_at?: string;
  readonly message: string;
}

export interface CallState {
  /** Empty if it is not known. */
  readonly agent: string;
  readonly model?: string;
  readonly started_at: string;
}

export interface SpendingState {
  /** Day of the calls, in UTC: `2026-01-31`. */
  readonly day: string;
  /** Empty if it is not known. */
  readonly agent: string;
  /** As the agent reports it, or as it was asked for; omitted if neither is known. */
  readonly model?: string;
  cost_usd: number;
  agent_calls: number;
  unknown_cost_calls: number;
  readonly tokens: { input: number; output: number };
  unknown_token_calls: number;
}

export interface Totals {
  /** Sum of the known costs. */
  cost_usd: number;
  agent_calls: number;
  /** Agent calls with unknown cost: the true total is higher. */
  unknown_cost_calls: number;
  tokens: { input: number; output: number };
  /** Agent calls that did not report their tokens: the true number is higher. */
  unknown_token_calls: number;
  /** Each visit counts, by how it last ended; a step that only contains others does not. */
  steps_completed: number;
  steps_failed: number;
  steps_skipped: number;
  /** Stopped with their branch; omitted if there are none. */
  steps_cancelled?: number;
}
