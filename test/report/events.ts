/** Events for tests; times are milliseconds after a fixed start. */
import type { JournalEvent, LiveEvent, Progress, Question } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { RunId, StepKey } from '../../src/model/ids.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';

export const BEGIN = Date.parse('2026-01-31T12:00:00.000Z');
export const RUN_ID = '20260131T120000Z-abc123' as RunId;

export function at(ms: number): string {
  return new Date(BEGIN + ms).toISOString();
}

export function runStarted(title = 'ship', facts: JsonObject = {}, runId = RUN_ID): JournalEvent {
  return {
    type: 'run-started',
    at: at(0),
    runId,
    kind: 'workflow',
    title,
    program: 'workflow',
    input: {},
    workspace: '/w',
    facts,
  };
}

export interface Begin {
  readonly attempt?: number;
  readonly effect?: string;
  readonly input?: JsonValue;
  readonly repeated?: boolean;
}

export function began(key: string, ms: number, begin: Begin = {}): JournalEvent {
  return {
    type: 'step-started',
    at: at(ms),
    key: key as StepKey,
    effect: begin.effect ?? 'run-command',
    attempt: begin.attempt ?? 1,
    input: begin.input ?? { argv: ['true'], capture: 'text' },
    ...(begin.repeated === true ? { repeated: true } : {}),
  };
}

export interface End {
  readonly failure?: Failure;
  readonly output?: JsonObject;
  readonly effect?: string;
  readonly attempts?: number;
}

export function ended(key: string, span: readonly [number, number], end: End = {}): JournalEvent {
  const { failure } = end;
  return {
    type: 'step-ended',
    at: at(span[1]),
    key: key as StepKey,
    effect: end.effect ?? 'run-command',
    attempts: end.attempts ?? 1,
    startedAt: at(span[0]),
    durationMs: span[1] - span[0],
    output: {
      exitCode: failure?.type === 'exit-code' ? failure.exitCode : 0,
      outcome: failure?.type ?? 'done',
      ...(failure === undefined ? {} : { failure: failure as unknown as JsonValue }),
      ...end.output,
    },
  };
}

export function noted(key: string, ms: number, note: JsonObject): JournalEvent {
  return {
    type: 'step-ended',
    at: at(ms),
    key: key as StepKey,
    effect: 'note',
    attempts: 1,
    startedAt: at(ms),
    durationMs: 0,
    output: { note },
  };
}

export function asked(key: string, ms: number, question: Question): JournalEvent {
  return { type: 'question-asked', at: at(ms), key: key as StepKey, question };
}

export function seen(key: string, ms: number, progress: Progress): LiveEvent {
  return { type: 'progress', at: at(ms), key: key as StepKey, progress };
}

export function runEnded(
  ms: number,
  status: Extract<JournalEvent, { type: 'run-ended' }>['status'],
  rest: { readonly failure?: Failure; readonly output?: JsonValue; readonly signal?: string } = {},
): JournalEvent {
  return { type: 'run-ended', at: at(ms), status, ...rest };
}

export const EXIT_1: Failure = { type: 'exit-code', exitCode: 1 };
