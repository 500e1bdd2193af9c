/**
 * Folds events into a `RunState`. Events apply in journal order; the same events always give the same state.
 *
 * A step's place follows from its key and from the `container` notes: a `for_each` is an array of iterations, a `repeat`
 * has `iterations`, a `parallel` or `graph` has `branches`, a `call` has `steps`. A key outside any container is a name at the top level.
 */
import { againIn } from '../model/again.ts';
import { defined } from '../model/defined.ts';
import { isShown } from '../model/effect.ts';
import type { RunEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { type Noted, notedIn, type StepEnded } from '../model/noted.ts';
import { hasPassed } from '../model/proof.ts';
import type { WorkOutput } from '../model/record.ts';
import type { LoopState, RunState, StepState } from '../model/run-state.ts';
import { skipUnknown } from '../model/unreachable.ts';
import type { Stepped } from './durable.ts';
import { EarlierVisits } from './earlier-visits.ts';
import { RunFold } from './fold-run.ts';
import { cancelBranch, markInterrupted, unmarkInterrupted } from './mark-interrupted.ts';
import { renderStepState, type StepTimes, writeStepState } from './render-step-state.ts';
import { branchIn, type ContainerKind, clear, placeIn, stepIn } from './state-tree.ts';
import { StepCalls } from './step-calls.ts';
import { ViewBudget } from './view-budget.ts';

/** The state after these events; undefined if the run has not started. */
export function foldEvents(events: readonly RunEvent[]): RunState | undefined {
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  return fold.state;
}

export class StateFold {
  readonly #run = new RunFold();
  readonly #containers = new Map<string, ContainerKind>();
  /** Completed items of each loop. */
  readonly #done = new Map<string, true[]>();
  /** Number of items of each loop. */
  readonly #sizes = new Map<string, number>();
  readonly #budget = new ViewBudget();
  readonly #earlier = new EarlierVisits(this.#budget);
  readonly #calls = new StepCalls();
  /** Steps that ended and are being checked, with the time of their end. */
  readonly #unproven = new Map<StepKey, string>();
  /** The step that was looked up last, while the tree around it stays as it is. */
  #last: { readonly key: StepKey; readonly step: StepState } | undefined;

  /** Undefined until the run has started. The fold keeps changing the object. */
  get state(): RunState | undefined {
    return this.#run.state;
  }

  apply(event: RunEvent): void {
    const noted = event.type === 'step-ended' ? notedIn(event) : undefined;
    const state = this.#run.apply(event, noted);
    if (state === undefined) return;
    switch (event.type) {
      case 'run-resumed':
        unmarkInterrupted(state);
        break;
      case 'step-started':
        if (isShown(event.effect)) this.#stepStarted(state, event);
        break;
      case 'step-ended':
        if (noted === undefined) this.#stepEnded(state, event);
        else this.#noted(state, noted);
        break;
      case 'run-ended':
        if (event.status !== 'waiting') markInterrupted(state, event.at);
        break;
      case 'branch-stopped':
        cancelBranch(state, placeIn(state, `${event.key}/step`, this.#containers).steps, event);
        break;
      default:
        // Partial: the others concern only the run as a whole.
        break;
    }
  }

  #stepStarted(state: RunState, event: Extract<RunEvent, { type: 'step-started' }>): void {
    const step = this.#stepAt(state, event.key);
    clear(step);
    step.status = 'running';
    step.started_at = event.at;
    step.attempts = event.attempt;
    if (againIn(event) === 'repeated') step.repeated = true;
  }

  #stepEnded(state: RunState, event: StepEnded): void {
    const { output } = event;
    if (!isJsonObject(output)) return;
    if (event.effect === 'check-proof') this.#checked(state, event.key, output);
    if (!isShown(event.effect)) return;
    const step = this.#stepAt(state, event.key);
    const work = output as unknown as WorkOutput;
    const { spentBefore, attempts, startedAt, durationMs, at: completedAt } = event;
    if (this.#calls.isOnly(event.key, { output: work, spentBefore })) {
      const status = work.failure === undefined ? 'completed' : 'failed';
      this.#write(step, work, { status, startedAt, completedAt, durationMs, attempts });
    } else {
      const record = this.#calls.add(event.key, steppedIn(event));
      this.#write(step, record, record);
    }
    if (event.toCheck !== true) return;
    // It is done when what it is expected to leave has been checked.
    step.status = 'running';
    delete step.completed_at;
    this.#unproven.set(ownerOf(event.key), completedAt);
  }

  /** What failed has a record of its own. */
  #checked(state: RunState, key: StepKey, output: JsonObject): void {
    const owner = ownerOf(key);
    const completedAt = this.#unproven.get(owner);
    this.#unproven.delete(owner);
    if (completedAt === undefined || !hasPassed(output)) return;
    const step = this.#stepAt(state, owner);
    if (step.status !== 'running') return;
    step.status = 'completed';
    step.completed_at = completedAt;
  }

  #noted(state: RunState, note: Noted): void {
    const { key } = note;
    switch (note.type) {
      case 'container':
        this.#containers.set(key, note.kind);
        this.#last = undefined;
        if (note.kind === 'for-each') {
          this.#loopStarted(state, key, note.items ?? []);
        } else {
          const step = this.#stepAt(state, key);
          clear(step);
          step.status = 'running';
          for (const branch of note.branches ?? []) branchIn(step, branch);
        }
        break;
      case 'item-completed':
        this.#itemCompleted(state, key, note.index);
        break;
      case 'record': {
        const loop = state.for_each[withoutVisits(key)];
        if (loop === undefined) {
          const step = this.#stepAt(state, key);
          // A complete record, not an update of one.
          if (note.record.startedAt !== undefined) clear(step);
          this.#write(step, note.record, note.record);
          break;
        }
        const fields = renderStepState(note.record);
        if (fields.status !== undefined) loop.status = fields.status;
        if (fields.started_at !== undefined) loop.started_at = fields.started_at;
        if (fields.duration_ms !== undefined) loop.duration_ms = fields.duration_ms;
        if (fields.exit_code !== undefined) loop.exit_code = fields.exit_code;
        if (fields.failure_allowed !== undefined) loop.failure_allowed = fields.failure_allowed;
        if (fields.error !== undefined) loop.error = fields.error;
        break;
      }
      case 'condition':
        break;
      case 'decision': {
        if (state.for_each[withoutVisits(key)] !== undefined) break;
        const step = this.#stepAt(state, key);
        step.decisions ??= [];
        if (!step.decisions.includes(note.message)) step.decisions.push(note.message);
        break;
      }
      default:
        skipUnknown(note);
    }
  }

  #write(step: StepState, work: Partial<WorkOutput>, times: Partial<StepTimes>): void {
    if (this.#budget.admits(step, work)) {
      writeStepState(step, work, times);
      return;
    }
    const { output, lines, json, ...rest } = work;
    writeStepState(step, rest, times);
    const leftOut: ('output' | 'lines' | 'json')[] = [];
    if (output !== undefined) leftOut.push('output');
    if (lines !== undefined) leftOut.push('lines');
    if (json !== undefined) leftOut.push('json');
    step.left_out = leftOut;
  }

  #stepAt(state: RunState, key: StepKey): StepState {
    const owner = ownerOf(key);
    // Mostly its end follows its start.
    if (this.#last?.key === owner) return this.#last.step;
    const place = placeIn(state, owner, this.#containers);
    const step = stepIn(place.steps, place.name);
    if (place.visit > (step.visits ?? 1)) {
      this.#earlier.visitAgain(state, step, { key: withoutVisits(owner), visit: place.visit });
    }
    this.#last = { key: owner, step };
    return step;
  }

  /** A resumed loop keeps its completed items; on a revisit, the visit before joins the earlier ones. */
  #loopStarted(state: RunState, key: string, items: readonly JsonValue[]): void {
    const loopName = withoutVisits(key);
    const before = this.#done.has(key) ? state.for_each[loopName] : undefined;
    if (before !== undefined && isSameLoop(before, items)) {
      delete before.status;
      delete before.exit_code;
      delete before.error;
      delete before.failure_allowed;
      delete before.duration_ms;
      return;
    }
    const place = placeIn(state, key, this.#containers);
    const shown = place.steps[place.name];
    const iterations = Array.isArray(shown) ? shown : [];
    const old = state.for_each[loopName];
    const isRevisit = old !== undefined && place.visit > (old.visits ?? 1);
    if (isRevisit) {
      place.steps[place.name] = [];
    } else if (before === undefined || !hasSameItems(before, items)) {
      this.#budget.releaseWithin(shown);
      place.steps[place.name] = [];
    }
    const done = before !== undefined && hasSameItems(before, items) ? before.completed_indices : [];
    const marks = marksOf(done);
    this.#done.set(key, marks);
    this.#sizes.set(key, items.length);
    if (old !== undefined && !isRevisit) this.#budget.release(old);
    const progress = {
      completed_indices: done,
      current_index: firstOpen(marks, items.length),
      ...(isRevisit
        ? this.#earlier.loopVisit(state, old, { key: loopName, visit: place.visit, iterations })
        : defined({ visits: old?.visits, earlier_visits: old?.earlier_visits })),
    };
    const loop: LoopState = { items, ...progress };
    state.for_each[loopName] = this.#budget.admitItems(loop, items)
      ? loop
      : { items: [], items_left_out: items.length, ...progress };
  }

  /** `current_index` is the first item that is not completed. */
  #itemCompleted(state: RunState, key: string, index: number): void {
    const loop = state.for_each[withoutVisits(key)];
    const done = this.#done.get(key);
    if (loop === undefined || done === undefined || done[index] === true) return;
    done[index] = true;
    loop.completed_indices.push(index);
    const count = this.#sizes.get(key) ?? loop.items.length;
    loop.current_index = firstOpen(done, count, loop.current_index ?? count);
  }
}

/** By index: a list is five times faster than a set. */
function marksOf(indices: readonly number[]): true[] {
  const marks: true[] = [];
  for (const index of indices) marks[index] = true;
  return marks;
}

/** The first item, from `start` on, that is not completed. */
function firstOpen(done: readonly true[], count: number, start = 0): number | null {
  let open = start;
  while (done[open] === true) open += 1;
  return open < count ? open : null;
}

/** The workflow was changed: the loop may have other items, but not in the place of completed ones. */
function hasSameItems(loop: LoopState, items: readonly JsonValue[]): boolean {
  if (loop.items_left_out !== undefined) return loop.items_left_out <= items.length;
  return loop.completed_indices.every(
    (index) => JSON.stringify(loop.items[index]) === JSON.stringify(items[index]),
  );
}

function isSameLoop(loop: LoopState, items: readonly JsonValue[]): boolean {
  return loop.items_left_out === undefined
    ? JSON.stringify(loop.items) === JSON.stringify(items)
    : loop.items_left_out === items.length;
}

/** The name under which all visits of a loop are shown. */
function withoutVisits(key: string): string {
  return key.includes('#') ? key.replace(/#\d+/g, '') : key;
}

function steppedIn(event: StepEnded): Stepped<WorkOutput> {
  const { output, attempts, startedAt, at: endedAt, durationMs, spentBefore } = event;
  const stepped = { output: output as unknown as WorkOutput, attempts, startedAt, endedAt, durationMs };
  return spentBefore === undefined ? stepped : { ...stepped, spentBefore };
}
