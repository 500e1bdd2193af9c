/** What a view reads of `state.json`, whoever made it. */
import type { RunStatus } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';

export interface RunView {
  readonly run_id: string;
  readonly kind: string;
  readonly title: string;
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at?: string;
  readonly status: RunStatus;
  readonly steps: StepViews;
  readonly for_each: { readonly [loop: string]: LoopView };
  readonly waiting_for?: { readonly [key: string]: QuestionView };
  readonly sleeping_until?: { readonly [key: string]: string };
  readonly error?: { readonly message: string; readonly type: string; readonly step?: string };
  readonly totals: TotalsView;
  readonly [fact: string]: unknown;
}

/** Step name → its record; of a `for_each`, the list of its iterations. */
export interface StepViews {
  readonly [name: string]: StepView | readonly StepViews[];
}

export interface StepView {
  readonly status: 'running' | 'completed' | 'failed' | 'skipped';
  readonly exit_code?: number;
  readonly outcome?: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly duration_ms?: number;
  readonly attempts?: number;
  readonly visits?: number;
  readonly repeated?: boolean;
  readonly files?: readonly string[];
  readonly artifacts?: readonly string[];
  readonly cost_usd?: number | null;
  readonly error?: ErrorView;
  readonly decisions?: readonly string[];
  readonly iterations?: readonly StepViews[];
  readonly branches?: { readonly [branch: string]: StepViews };
  readonly steps?: StepViews;
}

export interface ErrorView {
  readonly message: string;
  readonly type: string;
  readonly stdout_tail?: string;
  readonly stderr_tail?: string;
}

export interface LoopView {
  readonly items: readonly JsonValue[];
  readonly completed_indices: readonly number[];
  readonly current_index: number | null;
  readonly status?: string;
  readonly error?: ErrorView;
}

export interface QuestionView {
  readonly message: string;
  readonly choices: readonly string[];
  readonly asked_at: string;
  readonly expires_at?: string;
  readonly default?: string;
}

export interface TotalsView {
  readonly cost_usd: number;
  readonly agent_calls: number;
  readonly unknown_cost_calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly steps_completed: number;
}
