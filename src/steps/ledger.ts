import type { Ledger as RunLedger } from '../engine/ledger.ts';
import type { Failure } from '../model/failure.ts';

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly minutes?: number;
}

/** What the whole run has spent so far, across all branches. */
export interface Ledger extends RunLedger {
  readonly budget: Budget | undefined;
  /** Set once a call was not admitted. It may be known at a different time in a replay, so only calls without a record depend on it. */
  reached?: Failure;
}
