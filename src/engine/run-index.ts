/**
 * The index of a run: one row for every step, item and branch of every visit, keyed by its journal key, in the order of their first event.
 * Built in one pass; what a step was asked and answered is read from the journal on demand, by the byte at which its record starts.
 *
 * X1 No event is kept. A row costs the same whatever its step printed.
 * X2 Earlier visits are rows like any other: `Fix#2` does not replace `Fix`.
 * X3 `seq` of a row is the record that changed it last, so that a reader who has seen record n needs only rows with a greater one.
 * X4 What is known of the run as a whole comes from the same fold as `state.json` (`fold-run.ts`).
 */
import { describeFailure } from '../model/describe-failure.ts';
import { isShown } from '../model/effect.ts';
import type { JournalEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { itemName } from '../model/item-name.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { type Noted, notedIn, type StepEnded } from '../model/noted.ts';
import type { Spent, StepRecord, WorkOutput } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import { skipUnknown } from '../model/unreachable.ts';
import type { RecordPlace } from '../store/journal-tail.ts';
import { RunFold } from './fold-run.ts';
import { IndexRow, isContainer, type RowKind, type RowStatus } from './index-row.ts';
import { StepCalls } from './step-calls.ts';

const LONGEST_NOTE = 300;

export class RunIndex {
  readonly rows: IndexRow[] = [];
  /** The rows that are in no other. */
  readonly roots: IndexRow[] = [];
  readonly #run = new RunFold();
  readonly #byKey = new Map<string, IndexRow>();
  /** The row that contains keys with this prefix. */
  readonly #holders = new Map<string, IndexRow | undefined>();
  readonly #items = new Map<string, readonly JsonValue[]>();
  readonly #calls = new StepCalls();
  readonly #open = new Set<IndexRow>();
  #cutOff: IndexRow[] = [];
  #seq = 0;
  #input: JsonValue | undefined;

  /** With empty `steps` and `for_each`; undefined until the run has started. */
  get state(): RunState | undefined {
    return this.#run.state;
  }

  /** The last record that was applied. */
  get seq(): number {
    return this.#seq;
  }

  /** What the program was started with, or resumed with last: for a workflow, its definition. */
  get input(): JsonValue | undefined {
    return this.#input;
  }

  row(key: string): IndexRow | undefined {
    return this.#byKey.get(key);
  }

  apply(event: JournalEvent, { seq, offset }: RecordPlace): void {
    this.#seq = seq;
    const noted = event.type === 'step-ended' ? notedIn(event) : undefined;
    this.#run.apply(event, noted);
    switch (event.type) {
      case 'run-started':
        this.#input = event.input;
        break;
      case 'run-resumed':
        if (event.input !== undefined) this.#input = event.input;
        for (const row of this.#cutOff) if (isContainer(row.kind)) this.#set(row, 'running');
        this.#cutOff = [];
        break;
      case 'step-started':
        this.#stepStarted(event, offset);
        break;
      case 'step-ended':
        if (noted === undefined) this.#stepEnded(event, offset);
        else this.#noted(noted, event);
        break;
      case 'question-asked': {
        const row = this.#rowAt(event.key, 'question');
        row.startedAt ??= Date.parse(event.at);
        this.#set(row, 'waiting');
        break;
      }
      case 'question-answered': {
        const row = this.#rowAt(event.key, 'question');
        this.#end(row, 'completed', Date.parse(event.at));
        break;
      }
      case 'run-ended':
        if (event.status !== 'waiting') this.#cutOff = this.#endOpen('interrupted', event.at, '');
        break;
      case 'branch-stopped':
        this.#endOpen('cancelled', event.at, `${event.key}/`);
        break;
      case 'process-started':
      case 'attempt-ended':
      case 'sleep-started':
      case 'sleep-ended':
      case 'time-read':
      case 'branch-ended':
        break;
      default:
        skipUnknown(event);
    }
  }

  #stepStarted(event: Extract<JournalEvent, { type: 'step-started' }>, offset: number): void {
    if (!isShown(event.effect)) return;
    const row = this.#rowAt(ownerOf(event.key), KIND_OF[event.effect] ?? 'step');
    row.startedAt = Date.parse(event.at);
    row.endedAt = undefined;
    row.durationMs = undefined;
    row.error = undefined;
    row.attempts = Math.max(row.attempts, event.attempt);
    row.startOffset = offset;
    if (event.repeated === true) row.repeated = true;
    if (isJsonObject(event.input) && isJsonObject(event.input['agent'])) {
      const { name, adapter } = event.input['agent'];
      row.agent = String(name ?? adapter ?? '');
      row.adapter = typeof adapter === 'string' ? adapter : undefined;
    }
    this.#set(row, 'running');
  }

  #stepEnded(event: StepEnded, offset: number): void {
    const { output, effect } = event;
    if (!isJsonObject(output)) return;
    if (effect === 'check-proof') {
      const row = this.#byKey.get(ownerOf(event.key));
      if (row !== undefined) row.proofOffset = offset;
    }
    if (!isShown(effect)) return;
    const row = this.#rowAt(ownerOf(event.key), KIND_OF[effect] ?? 'step');
    row.endOffset = offset;
    const { spentBefore, attempts, startedAt, durationMs, at: endedAt } = event;
    const record = this.#calls.add(event.key, {
      ...{ output: output as unknown as WorkOutput, attempts, startedAt, endedAt, durationMs },
      ...(spentBefore === undefined ? {} : { spentBefore }),
    });
    this.#record(row, record);
  }

  #noted(note: Noted, event: StepEnded): void {
    switch (note.type) {
      case 'container': {
        const row = this.#rowAt(note.key, note.kind);
        row.kind = note.kind;
        row.startedAt = Date.parse(event.at);
        row.endedAt = undefined;
        row.durationMs = undefined;
        this.#holders.clear();
        if (note.items !== undefined) {
          row.items = note.items.length;
          this.#items.set(note.key, note.items);
        }
        this.#set(row, 'running');
        break;
      }
      case 'item-completed': {
        const row = this.#byKey.get(note.key);
        const item = this.#byKey.get(`${note.key}/${note.index}`);
        if (row !== undefined) {
          row.itemsDone += 1;
          this.#touch(row);
        }
        if (item !== undefined)
          this.#end(item, item.status === 'failed' ? 'failed' : 'completed', Date.parse(event.at));
        break;
      }
      case 'record':
        this.#record(this.#rowAt(note.key, 'step'), note.record);
        break;
      case 'decision': {
        const row = this.#rowAt(note.key, 'step');
        row.note = note.message.slice(0, LONGEST_NOTE);
        if (event.key.endsWith('@goto')) row.goesTo = /`([^`]+)`/.exec(note.message)?.[1];
        this.#touch(row);
        break;
      }
      case 'condition':
        break;
      default:
        skipUnknown(note);
    }
  }

  #record(row: IndexRow, record: Partial<StepRecord>): void {
    if (record.startedAt !== undefined) row.startedAt = Date.parse(record.startedAt);
    if (record.durationMs !== undefined) row.durationMs = record.durationMs;
    if (record.attempts !== undefined) row.attempts = record.attempts;
    if (record.outcome !== undefined) row.outcome = record.outcome;
    if (record.exitCode !== undefined) row.exitCode = record.exitCode;
    if (record.allowed !== undefined) row.isAllowed = record.allowed;
    if (record.spent !== undefined) this.#spend(row, record.spent);
    const failure: Failure | undefined = record.failure;
    if (failure !== undefined) row.error = describeFailure(failure).slice(0, LONGEST_NOTE);
    else if (record.status === 'completed') row.error = undefined;
    if (record.status === undefined) this.#touch(row);
    else
      this.#end(
        row,
        failure?.type === 'cancelled' ? 'cancelled' : record.status,
        record.completedAt === undefined ? undefined : Date.parse(record.completedAt),
      );
  }

  /** The cost of a container is the sum of what it contains. */
  #spend(row: IndexRow, { costUsd, usage, unknownCalls }: Spent): void {
    const cost = (costUsd ?? 0) - row.costUsd;
    const unknown = (costUsd === null ? 1 : (unknownCalls ?? 0)) - row.unknownCalls;
    const input = (usage?.inputTokens ?? 0) - row.tokensIn;
    const output = (usage?.outputTokens ?? 0) - row.tokensOut;
    for (let each: IndexRow | undefined = row; each !== undefined; each = each.parent) {
      each.hasCost = true;
      each.costUsd += cost;
      each.unknownCalls += unknown;
      each.tokensIn += input;
      each.tokensOut += output;
      if (costUsd !== null) each.hasKnownCost = true;
      each.seq = this.#seq;
    }
  }

  #endOpen(status: 'interrupted' | 'cancelled', at: string, prefix: string): IndexRow[] {
    const ended = [...this.#open].filter(({ key }) => key.startsWith(prefix));
    for (const row of ended) {
      if (row.status === 'waiting' && status === 'interrupted') continue;
      row.durationMs = row.startedAt === undefined ? undefined : Date.parse(at) - row.startedAt;
      this.#end(row, status, Date.parse(at));
    }
    return ended;
  }

  #end(row: IndexRow, status: RowStatus, at: number | undefined): void {
    row.endedAt = at ?? row.endedAt;
    this.#set(row, status);
  }

  #set(row: IndexRow, status: RowStatus): void {
    row.status = status;
    if (status === 'running' || status === 'waiting') this.#open.add(row);
    else this.#open.delete(row);
    this.#touch(row);
    const { parent } = row;
    if (parent === undefined || (parent.kind !== 'item' && parent.kind !== 'branch')) return;
    // An item or branch has no record of its own: it is as its last step is.
    parent.startedAt ??= row.startedAt;
    parent.endedAt = row.endedAt;
    if (parent.startedAt !== undefined && row.endedAt !== undefined)
      parent.durationMs = row.endedAt - parent.startedAt;
    this.#set(parent, status === 'skipped' || (status === 'failed' && row.isAllowed) ? 'completed' : status);
  }

  /** Containers show how much of them is done. */
  #touch(row: IndexRow): void {
    for (let each: IndexRow | undefined = row; each !== undefined; each = each.parent) each.seq = this.#seq;
  }

  #rowAt(key: string, kind: RowKind): IndexRow {
    const found = this.#byKey.get(key);
    if (found !== undefined) {
      if (found.kind === 'step') found.kind = kind;
      return found;
    }
    const slash = key.lastIndexOf('/');
    const parent = slash === -1 ? undefined : this.#holderOf(key.slice(0, slash), key);
    if (parent?.key === key) return parent;
    const from = parent === undefined ? 0 : endOfHolder(parent, key);
    return this.#add(new IndexRow(key as StepKey, { kind, parent, from, order: this.rows.length }));
  }

  #add(row: IndexRow): IndexRow {
    row.seq = this.#seq;
    this.rows.push(row);
    this.#byKey.set(row.key, row);
    if (row.parent === undefined) row.place = this.roots.push(row) - 1;
    else row.parent.hold(row);
    return row;
  }

  #holderOf(prefix: string, key: string): IndexRow | undefined {
    if (this.#holders.has(prefix)) return this.#holders.get(prefix);
    const holder = this.#findHolder(key);
    if (holder?.key !== key) this.#holders.set(prefix, holder);
    return holder;
  }

  /** The innermost container, item or branch that the key is in; the item or branch itself if the key is its own. */
  #findHolder(key: string): IndexRow | undefined {
    let holder: IndexRow | undefined;
    for (let from = 0, end = key.indexOf('/'); end !== -1; end = key.indexOf('/', from)) {
      const container = this.#byKey.get(key.slice(0, end));
      if (container === undefined || !isContainer(container.kind)) break;
      holder = container;
      from = end + 1;
      if (container.kind === 'call') continue;
      const slash = key.indexOf('/', from);
      const partEnd = slash === -1 ? key.length : slash;
      if (container.kind !== 'graph') holder = this.#part(container, key.slice(0, partEnd), from);
      if (slash === -1) break;
      from = partEnd + 1;
    }
    return holder;
  }

  #part(container: IndexRow, key: string, from: number): IndexRow {
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const kind = container.kind === 'parallel' ? 'branch' : 'item';
    const row = new IndexRow(key as StepKey, { kind, parent: container, from, order: this.rows.length });
    const item = this.#items.get(container.key)?.[Number(row.name)];
    if (item !== undefined) row.item = itemName(item);
    return this.#add(row);
  }
}

const KIND_OF: { readonly [effect: string]: RowKind } = {
  'run-command': 'command',
  'run-agent': 'agent',
  'run-tool': 'tool',
  'wait-for-files': 'wait',
};

/** Where the step's own name starts in its key. */
function endOfHolder(holder: IndexRow, key: string): number {
  // The branches of a graph have the names of their steps: `Graph/Build/Build`.
  return holder.kind === 'graph' ? key.lastIndexOf('/') + 1 : holder.key.length + 1;
}
