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

/**
 * Times are milliseconds since 1970: a hundred thousand rows are held at once. A class whose fields are all assigned in one order: V8 keeps an
 * object that is put together from parts as a table, which takes five times the memory and fifty times the time.
 */
export class IndexRow {
  readonly key: StepKey;
  readonly name: string;
  /** Counts from 1. */
  readonly visit: number;
  readonly parent: IndexRow | undefined;
  /** Its place among all rows. */
  readonly order: number;
  /** Its place among those of its parent. */
  place = 0;
  kind: RowKind;
  status: RowStatus = 'running';
  /** X3 */
  seq = 0;
  item: string | undefined = undefined;
  outcome: string | undefined = undefined;
  exitCode: number | undefined = undefined;
  isAllowed = false;
  startedAt: number | undefined = undefined;
  endedAt: number | undefined = undefined;
  durationMs: number | undefined = undefined;
  attempts = 0;
  repeated = false;
  agent: string | undefined = undefined;
  adapter: string | undefined = undefined;
  /** An agent was called in it. */
  hasCost = false;
  hasKnownCost = false;
  /** Sum of the known costs. */
  costUsd = 0;
  unknownCalls = 0;
  tokensIn = 0;
  tokensOut = 0;
  /** For a `for-each`. */
  items: number | undefined = undefined;
  itemsDone = 0;
  /** The last decision about it: why it was skipped, where it went. */
  note: string | undefined = undefined;
  /** The step that it went to by `goto`. */
  goesTo: string | undefined = undefined;
  error: string | undefined = undefined;
  /** Where its records start in the journal. */
  startOffset: number | undefined = undefined;
  endOffset: number | undefined = undefined;
  proofOffset: number | undefined = undefined;
  #children: IndexRow[] | undefined = undefined;

  /** `from`: where its name starts in the key. */
  constructor(
    key: StepKey,
    at: {
      readonly kind: RowKind;
      readonly parent: IndexRow | undefined;
      readonly from: number;
      readonly order: number;
    },
  ) {
    const last = key.slice(at.from);
    const hash = last.lastIndexOf('#');
    this.key = key;
    this.name = hash === -1 ? last : last.slice(0, hash);
    this.visit = hash === -1 ? 1 : Number(last.slice(hash + 1));
    this.parent = at.parent;
    this.order = at.order;
    this.kind = at.kind;
  }

  get children(): readonly IndexRow[] {
    return this.#children ?? NONE;
  }

  hold(child: IndexRow): void {
    this.#children ??= [];
    child.place = this.#children.push(child) - 1;
  }
}

const NONE: readonly IndexRow[] = [];

export function isContainer(kind: RowKind): kind is ContainerKind {
  return (
    kind === 'for-each' || kind === 'repeat' || kind === 'parallel' || kind === 'graph' || kind === 'call'
  );
}
