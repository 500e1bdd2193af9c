/**
 * A block is a list of steps being run: the workflow itself, one iteration of a loop, one branch, a called workflow. It knows what
 * its steps can see and where their keys begin.
 */
import type { OrchestrateDurable } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import type { Ledger } from './budget.ts';
import type { Step, WorkflowDefinition } from './definition.ts';

export interface Block {
  readonly durable: OrchestrateDurable;
  readonly definition: WorkflowDefinition;
  /** First part of the keys within `durable`: that of an enclosing loop run in line. */
  readonly path: string;
  /** First part of the whole keys, that of the branch included: for what is told to people. */
  readonly wholePath: string;
  /** Results of this block's own steps. */
  readonly records: Map<string, StepRecord>;
  /** Results of the steps around it. */
  readonly outer: ReadonlyMap<string, StepRecord>;
  readonly context: JsonObject;
  readonly loop?: LoopVariables;
  readonly run: RunFacts;
  readonly options: RunOptions;
  readonly ledger: Ledger;
}

/** One turn of a loop, and the loops around it. */
export interface LoopVariables {
  readonly kind: 'for-each' | 'repeat';
  readonly as: string;
  readonly item: JsonValue;
  readonly index: number;
  readonly total: number;
  readonly around?: LoopVariables;
}

/** `${run.*}`. */
export interface RunFacts {
  readonly id: string;
  readonly timestampUtc: string;
  readonly root: string;
}

/** What the command line says about the run as a whole. */
export interface RunOptions {
  readonly onError?: 'stop' | 'continue';
  readonly maxRetries?: number;
  readonly retryDelayMs?: number;
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly noCache?: boolean;
}

/** A step's record, and, where it failed, which steps a resumed run is to try again. */
export interface StepEnd {
  readonly record: StepRecord;
  readonly retryKeys: readonly StepKey[];
  /** Results of steps inside it that the steps after it can see too. */
  readonly inner?: ReadonlyMap<string, StepRecord>;
}

export interface StepCall<Kind extends Step = Step> {
  readonly block: Block;
  readonly step: Kind;
  readonly key: StepKey;
}

export type BlockEnd =
  | { readonly type: 'ended' }
  | {
      readonly type: 'failed';
      /** Whole key of the first step whose failure nothing handled. */
      readonly failedStep: StepKey;
      readonly failure: Failure;
      /** Steps that a resumed run does again, with everything in them. */
      readonly retryKeys: readonly StepKey[];
    };

export function keyIn(block: Block, name: string, visit: number): StepKey {
  const marked = visit > 1 ? `${name}#${visit}` : name;
  return block.path === '' ? stepKey(marked) : stepKey(block.path, marked);
}

/** The key as the run knows it, from the key within the block's own `durable`. */
export function wholeKey(block: Block, key: StepKey): StepKey {
  const own = block.path === '' ? key : key.slice(block.path.length + 1);
  return block.wholePath === '' ? (own as StepKey) : stepKey(block.wholePath, own);
}

/** All results a step of the block can see, the nearest first. */
export function visibleRecords(block: Block): ReadonlyMap<string, StepRecord> {
  return block.outer.size === 0 ? block.records : new Map([...block.outer, ...block.records]);
}

/** A block of its own inside another one, run in line. */
export function innerBlock(
  block: Block,
  inner: { readonly key: StepKey; readonly wholePath: string; readonly loop?: LoopVariables },
): Block {
  return {
    ...block,
    path: inner.key,
    wholePath: inner.wholePath,
    records: new Map(),
    outer: visibleRecords(block),
    ...(inner.loop === undefined ? {} : { loop: inner.loop }),
  };
}
