/** What the shared parts of steps need to know about the program around them, a workflow file or a workflow in code. */
import type { OrchestrateDurable } from '../effects/contracts.ts';
import { insideKey, type StepKey } from '../model/ids.ts';
import type { StepRecord } from '../model/record.ts';
import type { Ledger } from './ledger.ts';

/** Where a step runs: a list of steps, or a scope of calls. */
export interface StepSite {
  readonly durable: OrchestrateDurable;
  /** Prefix of the keys within `durable`. */
  readonly path: string;
  /** Prefix of the full keys, including that of the branch. */
  readonly wholePath: string;
  readonly ledger: Ledger;
  /** The run is cleaning up. */
  readonly isTidyingUp?: boolean;
}

export interface SiteCall {
  readonly block: StepSite;
  readonly key: StepKey;
}

/** A step's record and, if it failed, the steps that a resumed run retries. */
export interface EndedStep {
  readonly record: StepRecord;
  readonly retryKeys: readonly StepKey[];
}

/** The full key for a key within the `durable` of the site. */
export function wholeKey({ path, wholePath }: Pick<StepSite, 'path' | 'wholePath'>, key: StepKey): StepKey {
  const own = (path === '' ? key : key.slice(path.length + 1)) as StepKey;
  return wholePath === '' ? own : insideKey(wholePath, own);
}

export function endOf({ block, key }: SiteCall, record: StepRecord): EndedStep {
  return { record, retryKeys: record.status === 'failed' ? [wholeKey(block, key)] : [] };
}
