/** What a loop did: every figure comes from the journal of its run. The stable format of `iterate report --format json`. */

export interface LoopReport {
  readonly run_id: string;
  readonly name: string;
  readonly mode: string;
  readonly started_at: string;
  /** Time of the last record. */
  readonly updated_at: string;
  /** `running`, `completed`, `incomplete` (ended at a limit or on request), `failed`, `waiting`, `interrupted`, `cancelled`. */
  readonly status: string;
  readonly stop_reason?: string;
  /** Why it failed. */
  readonly error?: string;
  /** Where its work is, if it worked in a worktree. */
  readonly work?: string;
  readonly iterations: readonly IterationReport[];
  readonly totals: LoopTotals;
  readonly proof: LoopProof;
  readonly questions: readonly { readonly question: string; readonly answer?: string }[];
  /** How often it was resumed after a kill, a pause or an interruption. */
  readonly resumed: number;
}

export interface Spending {
  readonly cost_usd: number;
  readonly agent_calls: number;
  readonly unknown_cost_calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Agent calls that did not report their tokens: the true number is higher. */
  readonly unknown_token_calls: number;
}

export interface LoopTotals extends Spending {
  readonly iterations: number;
  /** Different files; `null` if that is unknown. */
  readonly files_changed: number | null;
  /** In which agents, checks and verifications ran. */
  readonly worked_ms: number;
  /** Until usage limits were reset. */
  readonly waited_ms: number;
  /** Those of `unknown_cost_calls` that were interrupted. */
  readonly lost_calls: number;
}

export interface IterationReport extends Spending {
  readonly iteration: number;
  readonly started_at: string;
  readonly worked_ms: number;
  readonly waited_ms: number;
  readonly lost_calls: number;
  /** `null` without version control. */
  readonly files: readonly FileChange[] | null;
  /** Another loop worked in the same tree, so some of `files` may be its work. */
  readonly shared?: true;
  readonly checks: readonly CheckReport[];
  readonly verification?: string;
  /** In the agent's own words. */
  readonly summary?: string;
  readonly remaining?: number;
  /** The limit that stopped it. */
  readonly cut_by?: string;
  readonly warnings: readonly string[];
  readonly commit?: string;
  /** Whether it was counted: it is not before its status has been read. */
  readonly counted: boolean;
}

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

export interface CheckReport {
  readonly command: string;
  readonly passed: boolean;
  readonly why?: string;
  readonly took_ms: number;
}

/**
 * What supports the claim that the task is complete: `verified` by another agent call, `checked` by commands only, `claimed` by nothing
 * but the agent, `refuted` by a check or a verification, or `none`: there is no claim.
 */
export interface LoopProof {
  readonly type: 'verified' | 'checked' | 'claimed' | 'refuted' | 'none';
  /** Checks of the last claim that passed, and of how many. */
  readonly checks_passed: number;
  readonly checks: number;
  readonly verification?: string;
  /** Claims that a check or a verification refuted. */
  readonly false_claims: number;
}
