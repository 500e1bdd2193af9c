/**
 * A block is a running list of steps: the workflow itself, one iteration of a loop, one branch, a called workflow. It knows what its
 * steps can see and the prefix of their keys.
 */
import type { OrchestrateDurable } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { insideKey, type StepKey, stepKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import type { Ledger } from '../steps/ledger.ts';
import type { EndedStep, SiteCall } from '../steps/site.ts';
import type { ProviderDefinition, Step, WorkflowDefinition } from './definition.ts';
import type { Isolated } from './isolation.ts';
import type { KeptItems } from './kept-items.ts';

export { wholeKey } from '../steps/site.ts';

export interface Block {
  readonly durable: OrchestrateDurable;
  readonly definition: WorkflowDefinition;
  /** Prefix of the keys within `durable`: that of an enclosing loop whose items run one after the other. */
  readonly path: string;
  /** Prefix of the full keys, including that of the branch, for messages. */
  readonly wholePath: string;
  /** Results of this block's own steps. */
  readonly records: Map<string, StepRecord>;
  /** Results of the steps of enclosing blocks. */
  readonly outer: RecordScope;
  readonly context: JsonObject;
  readonly loop?: LoopVariables;
  readonly run: RunFacts;
  readonly options: RunOptions;
  readonly ledger: Ledger;
  /** Items that are replayed as they ran, by their full key. */
  readonly kept?: ReadonlyMap<StepKey, KeptItems>;
  /** Agents are replayed: they write only the files that were changed when they were recorded. */
  readonly replays?: boolean;
  /** Absent if the workflow calls no workflow in code. */
  readonly callProgram?: CallProgram;
  /** Its steps work in a worktree. */
  readonly isolated?: Isolated;
  /** The steps of `finally`. */
  readonly isTidyingUp?: boolean;
}

/** Runs a workflow in code as a step. */
export type CallProgram = (call: SiteCall, asked: ProgramCalled) => Promise<EndedStep>;

export interface ProgramCalled {
  /** Workspace-relative. */
  readonly file: string;
  readonly input: JsonObject;
  readonly options: RunOptions;
  /** The one that replaces every agent: `options.agent`. */
  readonly provider?: ProviderDefinition;
}

/** Results by the name of their step. */
export type RecordScope = Pick<ReadonlyMap<string, StepRecord>, 'get' | 'has'>;

/** One iteration of a loop, and the enclosing loops. */
export interface LoopVariables {
  readonly kind: 'for-each' | 'repeat';
  readonly as: string;
  readonly item: JsonValue;
  /** The item is a combination of values: `${matrix.<name>}`. */
  readonly isMatrix?: boolean;
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

/** Options of the command line that apply to the whole run. */
export interface RunOptions {
  readonly onError?: 'stop' | 'continue';
  readonly maxRetries?: number;
  readonly retryDelayMs?: number;
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly noCache?: boolean;
}

export interface StepEnd extends EndedStep {
  /** Results of steps inside it that later steps can also see. */
  readonly inner?: ReadonlyMap<string, StepRecord>;
  readonly leaving?: Leaving;
}

/** Nothing more of the list starts: a `break` leaves the loop around it, an `end` the whole workflow. */
export type Leaving =
  | { readonly type: 'loop' }
  | {
      readonly type: 'workflow';
      readonly status: 'completed' | 'failed';
      readonly message: string;
      /** Full key of the `end` step. */
      readonly step: StepKey;
    };

export interface StepCall<Kind extends Step = Step> {
  readonly block: Block;
  readonly step: Kind;
  readonly key: StepKey;
}

export type BlockEnd = (
  | { readonly type: 'ended' }
  | {
      readonly type: 'failed';
      /** Full key of the first step with an unhandled failure. */
      readonly failedStep: StepKey;
      readonly failure: Failure;
      /** Steps that a resumed run repeats, with everything inside them. */
      readonly retryKeys: readonly StepKey[];
    }
) & {
  /** The record of the last step that ran. */
  readonly last?: StepRecord;
  readonly leaving?: Leaving;
};

const ENDED: BlockEnd = { type: 'ended' };

/** A step that the program waits for may hold thousands of ends: without the record of their last step. */
export function withoutLast(whole: BlockEnd): BlockEnd {
  if (whole.type === 'ended' && whole.leaving === undefined) return ENDED;
  const { last: _, ...end } = whole;
  return end as BlockEnd;
}

/** The names of steps that were checked already: a loop asks for the same ones thousands of times. */
const checked = new Set<string>();

function ownKey(name: string, visit: number): StepKey {
  if (visit > 1) return stepKey(`${name}#${visit}`);
  if (!checked.has(name)) checked.add(stepKey(name));
  return name as StepKey;
}

export function keyIn(block: Block, name: string, visit: number): StepKey {
  const own = ownKey(name, visit);
  return block.path === '' ? own : insideKey(block.path, own);
}

/** All results a step of the block can see; those of inner blocks take precedence. */
export function visibleRecords(block: Block): RecordScope {
  return layered(block.records, block.outer);
}

/** Nothing is copied: a list inside another one costs the same, however much it can see. */
export function layered(over: RecordScope, under: RecordScope): RecordScope {
  return {
    get: (name) => over.get(name) ?? under.get(name),
    has: (name) => over.has(name) || under.has(name),
  };
}

/** A block inside another one that shares its `durable`. */
export function innerBlock(
  block: Block,
  inner: {
    readonly key: StepKey;
    readonly wholePath: string;
    readonly loop?: LoopVariables;
    /** For an item that is replayed as it ran. */
    readonly definition?: WorkflowDefinition;
  },
): Block {
  const { durable, context, run, options, ledger, kept, isTidyingUp, callProgram } = block;
  // Field by field: a loop makes thousands, and V8 adds fields to a copy ten times slower.
  const made: { -readonly [Field in keyof Block]: Block[Field] } = {
    durable,
    definition: inner.definition ?? block.definition,
    path: inner.key,
    wholePath: inner.wholePath,
    records: new Map(),
    outer: visibleRecords(block),
    context,
    run,
    options,
    ledger,
  };
  const loop = inner.loop ?? block.loop;
  if (loop !== undefined) made.loop = loop;
  if (kept !== undefined) made.kept = kept;
  if (isTidyingUp !== undefined) made.isTidyingUp = isTidyingUp;
  if (callProgram !== undefined) made.callProgram = callProgram;
  return made;
}
