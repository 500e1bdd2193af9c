/**
 * The index of a run: one row for every step, item and branch of every visit, keyed by its journal key, in the order of their first event.
 * Built in one pass; what a step was asked and answered is read from the journal on demand, by the byte at which its record starts.
 *
 * X1 No event is kept. A row costs the same whatever its step printed.
 * X2 Earlier visits are rows like any other: `Fix#2` does not replace `Fix`.
 * X3 `seq` of a row is the record that changed it last, so that a reader who has seen record n needs only rows with a greater one.
 * X4 What is known of the run as a whole comes from the same fold as `state.json` (`fold-run.ts`).
 */
import { againIn } from '../model/again.ts';
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { isShown } from '../model/effect.ts';
import type { JournalEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { ownerOf } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { type Noted, notedIn, type StepEnded } from '../model/noted.ts';
import { parseTime } from '../model/parse-time.ts';
import { hasPassed } from '../model/proof.ts';
import type { Spent, StepRecord, WorkOutput } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import { unknownCallsIn } from '../model/sum-spent.ts';
import { skipUnknown } from '../model/unreachable.ts';
import type { RecordPlace } from '../store/journal-tail.ts';
import { RunFold } from './fold-run.ts';
import { type IndexRow, isContainer, type RowCost, type RowKind, type RowStatus } from './index-row.ts';
import { RowTree } from './row-tree.ts';
import { StepCalls } from './step-calls.ts';

const LONGEST_NOTE = 300;

export class RunIndex {
  readonly #run = new RunFold();
  readonly #tree = new RowTree();
  readonly #calls = new StepCalls();
  #interrupted: IndexRow[] = [];
  /** Questions that are open. */
  readonly #asking = new Set<IndexRow>();
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

  get rows(): readonly IndexRow[] {
    return this.#tree.rows;
  }

  /** The rows that are in no other. */
  get roots(): readonly IndexRow[] {
    return this.#tree.roots;
  }

  row(key: string): IndexRow | undefined {
    return this.#tree.get(key);
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
        for (const row of this.#interrupted) if (isContainer(row.kind)) this.#set(row, 'running');
        this.#interrupted = [];
        break;
      case 'step-started':
        this.#stepStarted(event, offset);
        break;
      case 'step-ended':
        if (noted === undefined) this.#stepEnded(event, offset);
        else this.#noted(noted, event);
        break;
      case 'question-asked': {
        const row = this.#tree.at(event.key, 'question');
        row.startedAt ??= parseTime(event.at);
        this.#asking.add(row);
        this.#set(row, 'waiting');
        break;
      }
      case 'question-answered': {
        const row = this.#tree.at(event.key, 'question');
        this.#end(row, 'completed', parseTime(event.at));
        break;
      }
      case 'run-ended':
        if (event.status === 'completed') this.#endOpen('cancelled', event.at, [...this.#asking]);
        if (event.status !== 'waiting') this.#interrupted = this.#endOpen('interrupted', event.at, this.rows);
        break;
      case 'branch-ended':
        if (this.#asking.size > 0) this.#endOpen('cancelled', event.at, this.#askingIn(event.key));
        break;
      case 'branch-stopped':
        this.#endOpen('cancelled', event.at, this.#tree.within(`${event.key}/`));
        break;
      case 'process-started':
      case 'attempt-ended':
      case 'attempt-asked':
      case 'sleep-started':
      case 'sleep-ended':
      case 'time-read':
        break;
      default:
        skipUnknown(event);
    }
  }

  #stepStarted(event: Extract<JournalEvent, { type: 'step-started' }>, offset: number): void {
    if (!isShown(event.effect)) return;
    const row = this.#tree.at(ownerOf(event.key), KIND_OF[event.effect] ?? 'step');
    row.startedAt = parseTime(event.at);
    row.endedAt = undefined;
    row.durationMs = undefined;
    if (row.error !== undefined) row.facts.error = undefined;
    row.attempts = Math.max(row.attempts, event.attempt);
    row.startOffset = offset;
    if (againIn(event) === 'repeated') row.facts.repeated = true;
    if (isJsonObject(event.input) && isJsonObject(event.input['agent'])) {
      const { name, adapter } = event.input['agent'];
      row.facts.agent = String(name ?? adapter ?? '');
      row.facts.adapter = typeof adapter === 'string' ? adapter : undefined;
    }
    this.#set(row, 'running');
  }

  #stepEnded(event: StepEnded, offset: number): void {
    const { output, effect } = event;
    if (!isJsonObject(output)) return;
    if (effect === 'check-proof') {
      const row = this.#tree.get(ownerOf(event.key));
      if (row !== undefined) {
        row.facts.proofOffset = offset;
        // What failed has a record of its own.
        if (row.status === 'running' && hasPassed(output)) this.#end(row, 'completed', row.endedAt);
      }
    }
    if (!isShown(effect)) return;
    const row = this.#tree.at(ownerOf(event.key), KIND_OF[effect] ?? 'step');
    row.endOffset = offset;
    const work = output as unknown as WorkOutput;
    const { spentBefore, attempts, startedAt, durationMs, at: endedAt } = event;
    if (work.failure === undefined && this.#calls.isOnly(event.key, { output: work, spentBefore })) {
      row.startedAt = parseTime(startedAt);
      row.durationMs = durationMs;
      row.attempts = attempts;
      row.outcome = work.outcome;
      row.exitCode = work.exitCode;
      if (row.error !== undefined) row.facts.error = undefined;
      row.endedAt = parseTime(endedAt);
      this.#set(row, event.toCheck === true ? 'running' : 'completed');
      return;
    }
    const call = { output: work, attempts, startedAt, endedAt, durationMs };
    this.#record(row, this.#calls.add(event.key, { ...call, ...defined({ spentBefore }) }));
    if (event.toCheck === true) this.#set(row, 'running');
  }

  #noted(note: Noted, event: StepEnded): void {
    switch (note.type) {
      case 'container': {
        const row = this.#tree.at(note.key, note.kind);
        row.kind = note.kind;
        row.startedAt = parseTime(event.at);
        row.endedAt = undefined;
        row.durationMs = undefined;
        if (note.items !== undefined) {
          row.facts.items = note.items.length;
          this.#tree.setItems(row, note.items);
        }
        this.#set(row, 'running');
        break;
      }
      case 'item-completed': {
        const row = this.#tree.get(note.key);
        const item = row === undefined ? undefined : this.#tree.itemAt(row, note.index);
        if (row !== undefined) {
          row.facts.itemsDone += 1;
          this.#touch(row);
        }
        if (item !== undefined)
          this.#end(item, item.status === 'failed' ? 'failed' : 'completed', parseTime(event.at));
        break;
      }
      case 'record':
        this.#record(this.#tree.at(note.key, 'step'), note.record);
        break;
      case 'decision': {
        const row = this.#tree.at(note.key, 'step');
        row.facts.note = note.message.slice(0, LONGEST_NOTE);
        if (event.key.endsWith('@goto')) row.facts.goesTo = /`([^`]+)`/.exec(note.message)?.[1];
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
    if (record.startedAt !== undefined) row.startedAt = parseTime(record.startedAt);
    if (record.durationMs !== undefined) row.durationMs = record.durationMs;
    if (record.attempts !== undefined) row.attempts = record.attempts;
    if (record.outcome !== undefined) row.outcome = record.outcome;
    if (record.exitCode !== undefined) row.exitCode = record.exitCode;
    if (record.allowed !== undefined) row.facts.isAllowed = record.allowed;
    if (record.spent !== undefined) this.#spend(row, record.spent);
    const failure: Failure | undefined = record.failure;
    if (failure !== undefined) row.facts.error = describeFailure(failure).slice(0, LONGEST_NOTE);
    else if (record.status === 'completed' && row.error !== undefined) row.facts.error = undefined;
    if (record.status === undefined) this.#touch(row);
    else
      this.#end(
        row,
        failure?.type === 'cancelled' ? 'cancelled' : record.status,
        record.completedAt === undefined ? undefined : parseTime(record.completedAt),
      );
  }

  /** The cost of a container is the sum of what it contains. */
  #spend(row: IndexRow, spent: Spent): void {
    const { costUsd, usage } = spent;
    const before = row.cost ?? NO_COST;
    const usd = (costUsd ?? 0) - before.usd;
    const unknown = unknownCallsIn(spent) - before.unknownCalls;
    const input = (usage?.inputTokens ?? 0) - before.tokensIn;
    const output = (usage?.outputTokens ?? 0) - before.tokensOut;
    for (let each: IndexRow | undefined = row; each !== undefined; each = each.parent) {
      each.cost ??= { ...NO_COST };
      each.cost.usd += usd;
      each.cost.unknownCalls += unknown;
      each.cost.tokensIn += input;
      each.cost.tokensOut += output;
      if (costUsd !== null) each.cost.isKnown = true;
      if (usage !== undefined) each.cost.hasTokens = true;
      each.seq = this.#seq;
    }
  }

  #askingIn(branch: string): readonly IndexRow[] {
    return [...this.#asking].filter(({ key }) => key.startsWith(`${branch}/`));
  }

  #endOpen(status: 'interrupted' | 'cancelled', at: string, within: readonly IndexRow[]): IndexRow[] {
    const open = within.filter((row) => row.status === 'running' || row.status === 'waiting');
    const endedAt = parseTime(at);
    for (const row of open) {
      if (row.status === 'waiting' && status === 'interrupted') continue;
      row.durationMs = row.startedAt === undefined ? undefined : endedAt - row.startedAt;
      this.#end(row, status, endedAt);
    }
    return open;
  }

  #end(row: IndexRow, status: RowStatus, at: number | undefined): void {
    row.endedAt = at ?? row.endedAt;
    this.#set(row, status);
  }

  #set(row: IndexRow, status: RowStatus): void {
    row.status = status;
    if (status !== 'waiting') this.#asking.delete(row);
    const { parent } = row;
    if (parent === undefined || (parent.kind !== 'item' && parent.kind !== 'branch')) {
      this.#touch(row);
      return;
    }
    row.seq = this.#seq;
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
}

const NO_COST: Readonly<RowCost> = {
  ...{ usd: 0, isKnown: false, unknownCalls: 0 },
  ...{ tokensIn: 0, tokensOut: 0, hasTokens: false },
};

const KIND_OF: { readonly [effect: string]: RowKind } = {
  'run-command': 'command',
  'run-agent': 'agent',
  'run-tool': 'tool',
  'wait-for-files': 'wait',
};
