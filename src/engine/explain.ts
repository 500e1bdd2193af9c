/**
 * Explains why each step ran, was skipped, retried or repeated, waited, or was answered from the record. Reads only the journal and keeps
 * its order.
 */

import { againIn } from '../model/again.ts';
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import { isShown, mayCost } from '../model/effect.ts';
import type { JournalEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { ownerOf, type StepKey, stepNameIn } from '../model/ids.ts';
import { ItemNames } from '../model/item-name.ts';
import { isJsonObject, type JsonObject, jsonText } from '../model/json.ts';
import type { Note } from '../model/note.ts';
import { skipUnknown } from '../model/unreachable.ts';

export type ReasonType =
  | 'began'
  | 'ended'
  | 'failed'
  | 'stopped'
  | 'skipped'
  | 'retried'
  | 'waited'
  | 'repeated'
  | 'asked'
  | 'answered'
  | 'decided'
  | 'from-journal'
  | 'tried-again';

export interface Reason {
  /** ISO 8601. */
  readonly at: string;
  readonly type: ReasonType;
  readonly message: string;
}

/** `key` is empty for reasons that concern the whole run. */
export interface Explanation {
  readonly key: StepKey | '';
  /** The name of the innermost item it belongs to. */
  readonly item?: string;
  readonly reasons: readonly Reason[];
}

export function explainRun(events: readonly JournalEvent[]): readonly Explanation[] {
  const explainer = new Explainer();
  for (const event of events) explainer.take(event);
  return explainer.explanations();
}

const RUN_ENDS = {
  completed: 'ended',
  failed: 'failed',
  waiting: 'waited',
  interrupted: 'stopped',
  cancelled: 'stopped',
} as const;

/** The steps of one list: of the run, an iteration, a branch or a called workflow. */
interface StepList {
  last?: StepKey;
  goto?: { readonly from: StepKey; readonly message: string };
}

/** Takes events in the order of the journal. */
export class Explainer {
  readonly #reasons = new Map<StepKey | '', Reason[]>([['', []]]);
  readonly #lists = new Map<string, StepList>();
  readonly #containers = new Map<string, Extract<Note, { type: 'container' }>['kind']>();
  /** Graphs → what each of their steps needs. */
  readonly #needs = new Map<string, NonNullable<Extract<Note, { type: 'container' }>['needs']>>();
  readonly #items = new ItemNames();
  readonly #ended = new Set<StepKey>();
  readonly #skipped = new Set<StepKey>();
  #retryKeys: ReadonlySet<string> = new Set();
  /** The last stop was an orderly interruption. */
  #wasInterrupted = false;

  explanations(): readonly Explanation[] {
    return [...this.#reasons].map(([key, reasons]) => ({
      key,
      ...defined({ item: this.#items.of(key) }),
      reasons,
    }));
  }

  take(event: JournalEvent): void {
    switch (event.type) {
      case 'run-started':
        this.#add('', {
          at: event.at,
          type: 'began',
          message: `${event.kind} \`${event.title}\` started`,
        });
        break;
      case 'run-resumed':
        this.#resumed(event);
        break;
      case 'run-ended':
        this.#runEnded(event);
        break;
      case 'step-started':
        this.#stepStarted(event);
        break;
      case 'attempt-ended':
        this.#attemptEnded(event);
        break;
      case 'step-ended':
        this.#stepEnded(event);
        break;
      case 'sleep-started':
        this.#about(event.key, { at: event.at, type: 'waited', message: `paused until ${event.until}` });
        break;
      case 'question-asked':
        this.#about(event.key, {
          at: event.at,
          type: 'asked',
          message: `asked: ${event.question.message}`,
        });
        break;
      case 'question-answered': {
        const { answer } = event;
        const message =
          answer.type === 'chosen'
            ? `${answer.by ?? 'a user'} ${answer.choice === undefined ? 'answered' : `chose \`${answer.choice}\``}${valuesText(answer.values)}${answer.comment === undefined ? '' : `: ${answer.comment}`}`
            : `not answered in time${answer.choice === undefined ? (answer.values === undefined ? '' : ': the defaults were used') : `: \`${answer.choice}\` was used`}`;
        this.#about(event.key, { at: event.at, type: 'answered', message });
        break;
      }
      // Its questions have events of their own.
      case 'attempt-asked':
      case 'process-started':
      case 'sleep-ended':
      case 'time-read':
      case 'branch-ended':
      case 'branch-stopped':
        break;
      default:
        skipUnknown(event);
    }
  }

  #stepStarted(event: Extract<JournalEvent, { type: 'step-started' }>): void {
    if (!isShown(event.effect)) return;
    const key = this.#stepOf(event.key);
    this.#begin(key, event.at);
    const again = againIn(event);
    if (again === 'attached') {
      this.#add(key, {
        at: event.at,
        type: 'began',
        message: `attempt ${event.attempt}: still running on its worker`,
      });
    } else if (again === 'repeated') {
      this.#add(key, {
        at: event.at,
        type: 'repeated',
        message: `attempt ${event.attempt}: the previous one did not finish because ${this.#wasInterrupted ? 'the run was interrupted' : 'its process was killed'}${mayCost(event.effect) ? '; what it cost is unknown' : ''}`,
      });
    } else if (event.attempt > 1) {
      this.#add(key, { at: event.at, type: 'began', message: `attempt ${event.attempt} started` });
    }
  }

  #attemptEnded(event: Extract<JournalEvent, { type: 'attempt-ended' }>): void {
    const why = describeFailure(event.failure);
    this.#about(
      event.key,
      event.counted
        ? {
            at: event.at,
            type: 'retried',
            message: `attempt ${event.attempt} failed: ${why}; next attempt at ${event.nextAt}`,
          }
        : {
            at: event.at,
            type: 'waited',
            message: `waited until ${event.nextAt} (not counted as an attempt): ${why}`,
          },
    );
  }

  #stepEnded(event: Extract<JournalEvent, { type: 'step-ended' }>): void {
    const { output } = event;
    if (!isJsonObject(output)) return;
    if (event.effect === 'note') {
      this.#noted(event.key, event.at, output['note'] as unknown as Note);
      return;
    }
    if (!isShown(event.effect)) return;
    const key = this.#stepOf(event.key);
    this.#begin(key, event.at);
    if (event.stopped === true)
      this.#add(key, {
        at: event.at,
        type: 'decided',
        message: 'stop requested; not retrying',
      });
    this.#end(key, event.at, output['failure'] as Failure | undefined);
  }

  #noted(noteKey: StepKey, at: string, note: Note): void {
    const key = this.#stepOf(noteKey);
    switch (note.type) {
      case 'container':
        this.#begin(key, at);
        this.#containers.set(ownerOf(noteKey), note.kind);
        if (note.needs !== undefined) this.#needs.set(ownerOf(noteKey), note.needs);
        this.#items.apply({ ...note, key: ownerOf(noteKey) });
        break;
      case 'record': {
        this.#begin(key, at);
        const { status, failure } = note.record;
        if (status === 'skipped') this.#skipped.add(key);
        else if (status !== undefined) this.#skipped.delete(key);
        if (status === 'failed') this.#end(key, at, failure);
        else if (status !== undefined) this.#ended.add(key);
        break;
      }
      case 'decision': {
        this.#begin(key, at);
        const isSkip = note.message.startsWith('skipped');
        this.#add(key, { at, type: isSkip ? 'skipped' : 'decided', message: note.message });
        if (noteKey.endsWith('@goto')) this.#listOf(key).goto = { from: key, message: note.message };
        break;
      }
      case 'condition':
        this.#begin(key, at);
        this.#add(key, { at, type: 'decided', message: note.message });
        break;
      case 'item-completed':
        break;
      default:
        skipUnknown(note);
    }
  }

  #resumed(event: Extract<JournalEvent, { type: 'run-resumed' }>): void {
    const parts = ['the run was resumed'];
    if (event.tookOver !== undefined)
      parts.push(`process ${event.tookOver.pid} on ${event.tookOver.host} had died without ending it`);
    if (event.endedProcesses !== undefined)
      parts.push(
        `${event.endedProcesses.length} leftover ${event.endedProcesses.length === 1 ? 'process was' : 'processes were'} stopped`,
      );
    if (event.cutBytes !== undefined)
      parts.push(`an incomplete record of ${event.cutBytes} bytes was removed`);
    if (event.input !== undefined) parts.push('a changed workflow was accepted');
    this.#add('', { at: event.at, type: 'began', message: parts.join('; ') });
    for (const key of this.#ended) {
      this.#add(
        key,
        this.#retryKeys.has(key)
          ? {
              at: event.at,
              type: 'tried-again',
              message: this.#skipped.has(key)
                ? 'is tried again: the run was resumed, and with it what this step needs'
                : 'runs again: the run was resumed, and this step had made it fail',
            }
          : {
              at: event.at,
              type: 'from-journal',
              message: 'the run was resumed; the result came from the journal',
            },
      );
    }
    for (const key of this.#retryKeys) this.#ended.delete(key as StepKey);
  }

  #runEnded(event: Extract<JournalEvent, { type: 'run-ended' }>): void {
    const keys = isJsonObject(event.output) ? event.output['retryKeys'] : undefined;
    this.#retryKeys = new Set(Array.isArray(keys) ? keys.map((key) => ownerOf(key as StepKey)) : []);
    this.#wasInterrupted = event.status === 'interrupted';
    const because =
      event.failure === undefined || event.failure.type === 'cancelled'
        ? ''
        : `: ${describeFailure(event.failure)}`;
    const signal = event.signal === undefined ? '' : ` by ${event.signal}`;
    const type = RUN_ENDS[event.status];
    this.#add('', { at: event.at, type, message: `the run is ${event.status}${signal}${because}` });
  }

  /** Why the program reached this step. */
  #begin(key: StepKey, at: string): void {
    if (this.#reasons.has(key)) return;
    const list = this.#listOf(key);
    const { goto, last } = list;
    const name = stepNameIn(key);
    let message: string;
    if (goto?.message.includes(`\`${name}\``) === true)
      message = `reached from \`${goto.from}\`: ${goto.message}`;
    else if (last !== undefined) message = `runs after \`${last}\``;
    else message = this.#inGraph(key) ?? `first step ${this.#where(key)}`;
    list.last = key;
    delete list.goto;
    this.#add(key, { at, type: 'began', message });
  }

  #end(key: StepKey, at: string, failure: Failure | undefined): void {
    this.#ended.add(key);
    // The effect succeeded but a later check failed, so the step as a whole did not succeed.
    const reasons = this.#reasons.get(key);
    if (failure !== undefined && reasons?.at(-1)?.type === 'ended') reasons.pop();
    this.#add(
      key,
      failure === undefined
        ? { at, type: 'ended', message: 'succeeded' }
        : { at, type: 'failed', message: `failed: ${describeFailure(failure)}` },
    );
  }

  #about(key: StepKey, reason: Reason): void {
    const step = this.#stepOf(key);
    this.#begin(step, reason.at);
    this.#add(step, reason);
  }

  #add(key: StepKey | '', reason: Reason): void {
    const reasons = this.#reasons.get(key);
    if (reasons === undefined) this.#reasons.set(key, [reason]);
    else reasons.push(reason);
  }

  #listOf(key: StepKey): StepList {
    const parent = parentOf(key);
    let list = this.#lists.get(parent);
    if (list === undefined) {
      list = {};
      this.#lists.set(parent, list);
    }
    return list;
  }

  /** Events of a whole iteration or branch are reported on the step that contains it. */
  #stepOf(key: StepKey): StepKey {
    const owner = ownerOf(key);
    const kind = this.#containers.get(parentOf(owner));
    return kind === undefined || kind === 'call' ? owner : (parentOf(owner) as StepKey);
  }

  #inGraph(key: StepKey): string | undefined {
    const graph = parentOf(parentOf(key));
    if (this.#containers.get(graph) !== 'graph') return undefined;
    const needed = this.#needs.get(graph)?.[stepNameIn(key)] ?? [];
    const names = needed.map((name) => `\`${name}\``).join(', ');
    return `part of \`${graph}\`, needs ${names === '' ? 'no other step' : names}`;
  }

  #where(key: StepKey): string {
    const parent = parentOf(key);
    if (parent === '') return 'of the run';
    const holder = parentOf(parent);
    switch (this.#containers.get(holder)) {
      case 'for-each':
        return `for item ${parent.slice(holder.length + 1)} of \`${holder}\``;
      case 'repeat':
        return `of iteration ${parent.slice(holder.length + 1)} of \`${holder}\``;
      case 'parallel':
        return `of branch \`${parent.slice(holder.length + 1)}\` of \`${holder}\``;
      default:
        // Partial: a called workflow, or not a container.
        return `of \`${parent}\``;
    }
  }
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** ` (version: 1.2, notify: true)`. */
function valuesText(values: JsonObject = {}): string {
  const texts = Object.entries(values).map(([name, value]) => `${name}: ${jsonText(value ?? null)}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}
