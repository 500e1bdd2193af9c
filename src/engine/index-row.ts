import type { StepKey } from '../model/ids.ts';

export type RowKind =
  | 'agent'
  | 'command'
  | 'tool'
  | 'wait'
  | 'question'
  /** A step without an effect: skipped, or not known yet. */
  | 'step'
  | ContainerKind
  /** One item of a `for-each`, or one iteration of a `repeat`. */
  | 'item'
  | 'branch';

export type ContainerKind = 'for-each' | 'repeat' | 'parallel' | 'graph' | 'call';

export type RowStatus =
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'skipped'
  | 'interrupted'
  | 'cancelled';

/** Times are milliseconds since 1970: a hundred thousand rows are held at once. */
export interface IndexRow {
  readonly key: StepKey;
  readonly name: string;
  /** Counts from 1. */
  readonly visit: number;
  readonly parent: IndexRow | undefined;
  readonly children: IndexRow[];
  /** Its place among all rows. */
  readonly order: number;
  /** Its place among those of its parent. */
  place: number;
  kind: RowKind;
  status: RowStatus;
  /** X3 */
  seq: number;
  item: string | undefined;
  outcome: string | undefined;
  exitCode: number | undefined;
  isAllowed: boolean;
  startedAt: number | undefined;
  endedAt: number | undefined;
  durationMs: number | undefined;
  attempts: number;
  repeated: boolean;
  agent: string | undefined;
  adapter: string | undefined;
  /** An agent was called in it. */
  hasCost: boolean;
  hasKnownCost: boolean;
  /** Sum of the known costs. */
  costUsd: number;
  unknownCalls: number;
  tokensIn: number;
  tokensOut: number;
  /** For a `for-each`. */
  items: number | undefined;
  itemsDone: number;
  /** The last decision about it: why it was skipped, where it went. */
  note: string | undefined;
  /** The step that it went to by `goto`. */
  goesTo: string | undefined;
  error: string | undefined;
  /** Where its records start in the journal. */
  startOffset: number | undefined;
  endOffset: number | undefined;
  proofOffset: number | undefined;
}

export function isContainer(kind: RowKind): kind is ContainerKind {
  return (
    kind === 'for-each' || kind === 'repeat' || kind === 'parallel' || kind === 'graph' || kind === 'call'
  );
}

/** `from`: where its name starts in the key. */
export function newRow(
  key: StepKey,
  at: { readonly kind: RowKind; readonly parent: IndexRow | undefined; from: number; order: number },
): IndexRow {
  const { kind, parent, order } = at;
  const last = key.slice(at.from);
  const hash = last.lastIndexOf('#');
  return {
    ...{ key, kind, parent, order, children: [], place: 0 },
    name: hash === -1 ? last : last.slice(0, hash),
    visit: hash === -1 ? 1 : Number(last.slice(hash + 1)),
    ...{ status: 'running', seq: 0, item: undefined, outcome: undefined, exitCode: undefined },
    ...{ isAllowed: false, startedAt: undefined, endedAt: undefined, durationMs: undefined },
    ...{ attempts: 0, repeated: false, agent: undefined, adapter: undefined },
    ...{ hasCost: false, hasKnownCost: false, costUsd: 0, unknownCalls: 0, tokensIn: 0, tokensOut: 0 },
    ...{ items: undefined, itemsDone: 0, note: undefined, goesTo: undefined, error: undefined },
    ...{ startOffset: undefined, endOffset: undefined, proofOffset: undefined },
  };
}
