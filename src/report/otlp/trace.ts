/**
 * A run as a trace: run → containers → steps → calls of agents. Ids follow from the run and the keys (`model/trace-ids.ts`).
 *
 * T1 Every parent of a span is a span of the same trace.
 * T2 Prompts, answers, items and messages are content: without `content`, spans have only names, keys, figures and outcomes.
 * T3 What was running when the run stopped ends with it, as interrupted.
 */

import { describeFailure } from '../../model/describe-failure.ts';
import { isShown, mayCost } from '../../model/effect.ts';
import type { JournalEvent } from '../../model/event.ts';
import { type Failure, outcomeName } from '../../model/failure.ts';
import { ownerOf, stepNameIn } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { notedIn } from '../../model/noted.ts';
import type { Spent } from '../../model/record.ts';
import { attemptSpanIdOf, spanIdOf } from '../../model/trace-ids.ts';
import { skipUnknown } from '../../model/unreachable.ts';
import { agentAttributes, answerAttributes, spentAttributes } from './gen-ai.ts';

export type Attributes = { [name: string]: string | number | boolean };

export interface TraceSpan {
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  readonly startedAt: string;
  endedAt: string;
  readonly attributes: Attributes;
  /** The outcome, if it failed. */
  error?: string;
}

export interface TraceOptions {
  /** With prompts, answers and messages. */
  readonly content: boolean;
  /** Now, for a run that is still running. */
  readonly now: string;
}

export function traceOf(events: readonly JournalEvent[], options: TraceOptions): readonly TraceSpan[] {
  const trace = new Trace(options);
  for (const event of events) trace.apply(event);
  return trace.spans(options.now);
}

class Trace {
  readonly #options: TraceOptions;
  /** By key; the run has the empty one. */
  readonly #steps = new Map<string, TraceSpan>();
  readonly #calls: TraceSpan[] = [];
  /** Open spans of calls, by the key of the call. */
  readonly #open = new Map<string, TraceSpan>();
  /** Steps and containers without a recorded end. */
  readonly #unended = new Set<string>();
  #runId = '';
  #lastAt = '';
  #isStopped = false;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  apply(event: JournalEvent): void {
    const isFirst = this.#lastAt === '';
    if (event.type === 'run-resumed') this.#interrupt(this.#lastAt);
    this.#lastAt = event.at;
    switch (event.type) {
      case 'run-started':
        if (isFirst) this.#begin(event);
        break;
      case 'run-resumed':
        this.#isStopped = false;
        break;
      case 'step-started':
        if (isShown(event.effect)) this.#started(event);
        break;
      case 'attempt-ended':
        this.#callEnded(event.key, event.at, { failure: event.failure, spent: event.spent });
        break;
      case 'attempt-asked':
        this.#callEnded(event.key, event.at, { spent: event.spent });
        break;
      case 'step-ended':
        this.#stepEnded(event);
        break;
      case 'question-asked':
        this.#step(event.key, event.at).attributes['orchestrate.step.kind'] ??= 'question';
        break;
      case 'question-answered':
        this.#end(event.key, event.at);
        break;
      case 'run-ended': {
        this.#interrupt(event.at);
        this.#isStopped = true;
        const run = this.#steps.get('');
        if (run !== undefined) {
          run.attributes['orchestrate.run.status'] = event.status;
          this.#fail(run, event.failure);
          if (event.status === 'failed') run.error ??= 'failed';
        }
        break;
      }
      case 'process-started':
      case 'sleep-started':
      case 'sleep-ended':
      case 'time-read':
      case 'branch-ended':
      case 'branch-stopped':
        break;
      default:
        skipUnknown(event);
    }
  }

  spans(now: string): readonly TraceSpan[] {
    const end = this.#isStopped ? this.#lastAt : now;
    for (const key of this.#unended) {
      const span = this.#steps.get(key);
      if (span !== undefined) span.endedAt = later(span.startedAt, end);
    }
    for (const span of this.#open.values()) span.endedAt = later(span.startedAt, end);
    return [...this.#steps.values(), ...this.#calls];
  }

  #begin(event: Extract<JournalEvent, { type: 'run-started' }>): void {
    this.#runId = event.runId;
    const file = event.facts['workflow_file'];
    this.#unended.add('');
    this.#steps.set('', {
      id: spanIdOf(event.runId, ''),
      name: `${event.kind} ${event.title}`,
      startedAt: event.at,
      endedAt: event.at,
      attributes: {
        'orchestrate.run.id': event.runId,
        'orchestrate.run.kind': event.kind,
        ...(typeof file === 'string' ? { 'orchestrate.workflow.file': file } : {}),
      },
    });
  }

  /** T1: containers are recorded before what they contain; of others, such as items, there are no spans. */
  #parentOf(key: string): string {
    for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
      const outer = this.#steps.get(key.slice(0, at));
      if (outer !== undefined) return outer.id;
    }
    return spanIdOf(this.#runId, '');
  }

  #step(key: string, at: string): TraceSpan {
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const span: TraceSpan = {
      ...{ id: spanIdOf(this.#runId, key), parentId: this.#parentOf(key), name: stepNameIn(key) },
      ...{ startedAt: at, endedAt: at, attributes: { 'orchestrate.step.key': key } },
    };
    this.#steps.set(key, span);
    this.#unended.add(key);
    return span;
  }

  #started({ key, at, effect, attempt, input }: Extract<JournalEvent, { type: 'step-started' }>): void {
    const step = this.#step(ownerOf(key), at);
    step.attributes['orchestrate.step.kind'] ??= effect;
    this.#unended.add(ownerOf(key));
    if (!mayCost(effect)) return;
    const { name, attributes } = agentAttributes(objectIn(input), this.#options.content);
    const span: TraceSpan = {
      id: attemptSpanIdOf(this.#runId, key, attempt),
      parentId: step.id,
      name: `invoke_agent ${name}`,
      ...{ startedAt: at, endedAt: at },
      attributes: { ...attributes, 'orchestrate.step.key': key, 'orchestrate.attempt': attempt },
    };
    this.#calls.push(span);
    this.#open.set(key, span);
  }

  #callEnded(key: string, at: string, end: CallEnd): void {
    const span = this.#open.get(key);
    if (span === undefined) return;
    this.#open.delete(key);
    span.endedAt = later(span.startedAt, at);
    Object.assign(span.attributes, spentAttributes(end.spent));
    if (end.output !== undefined)
      Object.assign(span.attributes, answerAttributes(end.output, this.#options.content));
    this.#fail(span, end.failure);
  }

  #stepEnded(event: Extract<JournalEvent, { type: 'step-ended' }>): void {
    const noted = notedIn(event);
    if (noted?.type === 'container') {
      this.#step(noted.key, event.at).attributes['orchestrate.step.kind'] = noted.kind;
      return;
    }
    if (noted?.type === 'record') {
      const { status, outcome, failure } = noted.record;
      if (status === undefined) return;
      const span = this.#end(noted.key, event.at, event.at);
      span.attributes['orchestrate.step.outcome'] = outcome ?? status;
      this.#fail(span, failure);
      return;
    }
    if (noted !== undefined || !isShown(event.effect)) return;
    const output = objectIn(event.output);
    const failure = output['failure'] as Failure | undefined;
    this.#callEnded(event.key, event.at, { failure, spent: output['spent'] as Spent | undefined, output });
    const span = this.#end(ownerOf(event.key), event.at);
    const { outcome, exitCode } = output;
    if (typeof outcome === 'string') span.attributes['orchestrate.step.outcome'] = outcome;
    if (typeof exitCode === 'number') span.attributes['process.exit.code'] = exitCode;
    delete span.error;
    this.#fail(span, failure);
  }

  #end(key: string, at: string, startedAt = at): TraceSpan {
    const span = this.#step(key, startedAt);
    span.endedAt = later(span.startedAt, at);
    this.#unended.delete(key);
    return span;
  }

  #fail(span: TraceSpan, failure: Failure | undefined): void {
    if (failure === undefined) return;
    span.error = this.#options.content ? describeFailure(failure) : outcomeName(failure);
    span.attributes['error.type'] = outcomeName(failure);
  }

  /** T3 */
  #interrupt(at: string): void {
    for (const span of this.#open.values()) {
      span.endedAt = later(span.startedAt, at);
      span.error = 'interrupted';
      span.attributes['error.type'] = 'interrupted';
    }
    this.#open.clear();
  }
}

interface CallEnd {
  readonly failure?: Failure | undefined;
  readonly spent?: Spent | undefined;
  readonly output?: JsonObject;
}

/** A clock that was set back ends nothing before it started. */
function later(startedAt: string, at: string): string {
  return at < startedAt ? startedAt : at;
}

function objectIn(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
