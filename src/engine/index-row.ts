import type { StepKey } from '../model/ids.ts';
import { itemName } from '../model/item-name.ts';
import type { JsonValue } from '../model/json.ts';

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

/** What the agent calls in it cost. */
export interface RowCost {
  /** Sum of the known costs. */
  usd: number;
  /** At least one is known. */
  isKnown: boolean;
  unknownCalls: number;
  tokensIn: number;
  tokensOut: number;
  /** Some call has reported its tokens. */
  hasTokens: boolean;
}

/** What most rows do not have. */
interface RareFacts {
  isAllowed: boolean;
  repeated: boolean;
  agent: string | undefined;
  adapter: string | undefined;
  /** For a `for-each`. */
  items: number | undefined;
  itemsDone: number;
  /** The last decision about it: why it was skipped, where it went. */
  note: string | undefined;
  /** The step that it went to by `goto`. */
  goesTo: string | undefined;
  error: string | undefined;
  proofOffset: number | undefined;
}

/**
 * Times are milliseconds since 1970: a hundred thousand rows are held at once. A class whose fields are all assigned in one order: V8 keeps an
 * object that is put together from parts as a table, which takes five times the memory and fifty times the time.
 */
export class IndexRow {
  readonly key: StepKey;
  readonly parent: IndexRow | undefined;
  /** Its place among all rows. */
  readonly order: number;
  /** Its place among those of its parent. */
  place = 0;
  kind: RowKind;
  status: RowStatus = 'running';
  /** X3 */
  seq = 0;
  outcome: string | undefined = undefined;
  exitCode: number | undefined = undefined;
  startedAt: number | undefined = undefined;
  endedAt: number | undefined = undefined;
  durationMs: number | undefined = undefined;
  attempts = 0;
  /** For a loop: so many of its items, from the first, are at their place among its rows. */
  inOrder = 0;
  /** Undefined if no agent was called in it. */
  cost: RowCost | undefined = undefined;
  /** Where its records start in the journal. */
  startOffset: number | undefined = undefined;
  endOffset: number | undefined = undefined;
  /** Where its name starts in the key. */
  readonly #from: number;
  readonly #item: JsonValue | undefined;
  #rare: RareFacts | undefined = undefined;
  #children: IndexRow[] | undefined = undefined;

  constructor(key: StepKey, at: RowPlace) {
    this.key = key;
    this.parent = at.parent;
    this.order = at.order;
    this.kind = at.kind;
    this.#from = at.from;
    this.#item = at.item;
  }

  get name(): string {
    const last = this.key.slice(this.#from);
    const hash = last.lastIndexOf('#');
    return hash === -1 ? last : last.slice(0, hash);
  }

  /** Counts from 1. */
  get visit(): number {
    const hash = this.key.lastIndexOf('#');
    return hash < this.#from ? 1 : Number(this.key.slice(hash + 1));
  }

  /** The name of the item. */
  get item(): string | undefined {
    return this.#item === undefined ? undefined : itemName(this.#item);
  }

  get children(): readonly IndexRow[] {
    return this.#children ?? NONE;
  }

  hold(child: IndexRow): void {
    // Most hold one: a list that grows by `push` would reserve seventeen places.
    if (this.#children === undefined) this.#children = [child];
    else child.place = this.#children.push(child) - 1;
  }

  /** To be changed. */
  get facts(): RareFacts {
    this.#rare ??= {
      ...{
        isAllowed: false,
        repeated: false,
        agent: undefined,
        adapter: undefined,
        items: undefined,
        itemsDone: 0,
      },
      ...{ note: undefined, goesTo: undefined, error: undefined, proofOffset: undefined },
    };
    return this.#rare;
  }

  get isAllowed(): boolean {
    return this.#rare?.isAllowed ?? false;
  }

  get repeated(): boolean {
    return this.#rare?.repeated ?? false;
  }

  get agent(): string | undefined {
    return this.#rare?.agent;
  }

  get adapter(): string | undefined {
    return this.#rare?.adapter;
  }

  get items(): number | undefined {
    return this.#rare?.items;
  }

  get itemsDone(): number {
    return this.#rare?.itemsDone ?? 0;
  }

  get note(): string | undefined {
    return this.#rare?.note;
  }

  get goesTo(): string | undefined {
    return this.#rare?.goesTo;
  }

  get error(): string | undefined {
    return this.#rare?.error;
  }

  get proofOffset(): number | undefined {
    return this.#rare?.proofOffset;
  }
}

export interface RowPlace {
  readonly kind: RowKind;
  readonly parent: IndexRow | undefined;
  /** Where its name starts in the key. */
  readonly from: number;
  readonly order: number;
  /** For an item of a loop. */
  readonly item?: JsonValue | undefined;
}

const NONE: readonly IndexRow[] = [];

export function isContainer(kind: RowKind): kind is ContainerKind {
  return (
    kind === 'for-each' || kind === 'repeat' || kind === 'parallel' || kind === 'graph' || kind === 'call'
  );
}
