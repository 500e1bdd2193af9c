/**
 * Translates the records of a loop's run into loop events. Views, logs and notifications use these: only the program and
 * this file know the keys of its steps.
 */
import type { Denied } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import type { IterateOutput } from '../input.ts';
import { type LoopChange, parseAnyChange } from '../workspace/change.ts';
import type { VerificationStatus } from '../workspace/metadata.ts';
import { statusProblem } from '../workspace/status.ts';
import { isPause } from './pause.ts';

export type LoopEvent =
  | { readonly type: 'call-started'; readonly call: AgentCall; readonly attempt: number }
  | {
      readonly type: 'call-ended';
      readonly call: AgentCall;
      readonly durationMs: number;
      /** The user stopped it while it waited for its next attempt. */
      readonly isStopped: boolean;
      readonly failure?: Failure;
      /** The tools denied to the agent in a completed call. */
      readonly denied?: Denied;
    }
  | { readonly type: 'check-started'; readonly check: number }
  | {
      readonly type: 'check-ended';
      readonly check: number;
      readonly command: readonly string[];
      readonly failure?: Failure;
    }
  | { readonly type: 'status-read'; readonly progress?: Progress; readonly problem?: string }
  | {
      readonly type: 'question-asked';
      readonly key: string;
      readonly message: string;
      readonly choices: readonly string[];
    }
  /** `.set.json` was read; what is new in it is `changed`. */
  | { readonly type: 'change-read'; readonly change: LoopChange }
  | { readonly type: 'changed'; readonly message: string }
  /** Another agent takes over; something could not be committed. */
  | { readonly type: 'warned'; readonly message: string }
  /** Where the work is. */
  | { readonly type: 'noted'; readonly message: string }
  | { readonly type: 'paused' }
  | (IterationDone & { readonly type: 'iteration-ended' })
  | { readonly type: 'verified'; readonly status: VerificationStatus }
  | { readonly type: 'loop-ended'; readonly output: IterateOutput };

/** One call of the agent. */
export interface AgentCall {
  readonly type: 'iteration' | 'verification';
  readonly number: number;
}

/** As counted by the agent. */
export interface Progress {
  readonly completed: number;
  readonly total: number;
}

export interface IterationDone {
  readonly iteration: number;
  readonly maxIterations?: number;
  readonly remaining?: number;
  readonly summary?: string;
  /** Consecutive iterations without work. */
  readonly noWork: number;
  /** The limit that stopped it before its agent had finished. */
  readonly cutBy?: 'time' | 'budget';
}

/** The agent itself, or one of its fallback list. */
const CALL = /^(iteration|verification)\/(\d+)(?:@agent\d+)?$/;
const CHECK = /^iteration\/\d+\/check-(\d+)$/;
const COUNTED = /^iteration\/\d+@metadata$/;
const STATUS = /^iteration\/\d+@status$/;
const CHANGE_READ = /^iteration\/\d+@set$/;
const CHANGED = /^iteration\/\d+@changed$/;
const WARNED = /@(?:switched|uncommitted)$/;
const NOTED = /^end@brought$/;
const VERIFIED = /^verification\/\d+@metadata$/;

/** Undefined: not relevant to viewers of a loop. */
export function loopEventOf(event: RunEvent): LoopEvent | undefined {
  switch (event.type) {
    case 'step-started': {
      const { key, attempt } = event;
      const call = callOf(key);
      if (call !== undefined) return { type: 'call-started', call, attempt };
      const check = CHECK.exec(key)?.[1];
      return check === undefined ? undefined : { type: 'check-started', check: Number(check) };
    }
    case 'question-asked':
      if (isPause(event.key)) return { type: 'paused' };
      return { type: 'question-asked', key: event.key, ...event.question };
    case 'step-ended':
      return stepEnded(event);
    case 'run-ended':
      return isJsonObject(event.output) && typeof event.output['stopReason'] === 'string'
        ? { type: 'loop-ended', output: event.output as unknown as IterateOutput }
        : undefined;
    default:
      // Partial: the other records are the same for every kind of run.
      return undefined;
  }
}

/** The agent call of the step with this key; undefined for other steps. */
export function callOf(key: string): AgentCall | undefined {
  const [, type, number] = CALL.exec(key) ?? [];
  return type === undefined ? undefined : { type: type as AgentCall['type'], number: Number(number) };
}

/** The workspace's counters over all runs; undefined if the record has none. */
export function countersIn(
  event: RunEvent,
): { readonly totalIterations: number; readonly executionIterations: number } | undefined {
  if (event.type !== 'step-ended') return undefined;
  const { totalIterations, executionIterations } = documentIn(event.output);
  return typeof totalIterations === 'number'
    ? { totalIterations, executionIterations: Number(executionIterations ?? 0) }
    : undefined;
}

function stepEnded(event: Extract<RunEvent, { type: 'step-ended' }>): LoopEvent | undefined {
  const { key, durationMs } = event;
  const output = isJsonObject(event.output) ? event.output : {};
  const failure = output['failure'] === undefined ? {} : { failure: output['failure'] as unknown as Failure };
  const call = callOf(key);
  if (call !== undefined) {
    const denied = isJsonObject(output['denied']) ? { denied: output['denied'] as unknown as Denied } : {};
    const isStopped = event.stopped === true;
    return { type: 'call-ended', call, durationMs, isStopped, ...failure, ...denied };
  }
  const check = CHECK.exec(key)?.[1];
  if (check !== undefined)
    return { type: 'check-ended', check: Number(check), command: commandIn(output), ...failure };
  if (STATUS.test(key)) return statusRead(output['text']);
  if (CHANGE_READ.test(key)) return changeRead(output['text']);
  if (CHANGED.test(key)) return notedIn('changed', output['note']);
  if (WARNED.test(key)) return notedIn('warned', output['note']);
  if (NOTED.test(key)) return notedIn('noted', output['note']);
  if (COUNTED.test(key)) return iterationEnded(documentIn(output)['run']);
  return VERIFIED.test(key) ? verified(documentIn(output)['verification']) : undefined;
}

function changeRead(text: unknown): LoopEvent | undefined {
  const change = typeof text === 'string' ? parseAnyChange(text) : undefined;
  return change === undefined ? undefined : { type: 'change-read', change };
}

function statusRead(text: unknown): LoopEvent {
  const problem = typeof text === 'string' ? statusProblem(text) : undefined;
  return { type: 'status-read', ...progressIn(String(text ?? '')), ...defined({ problem }) };
}

function notedIn(type: 'changed' | 'warned' | 'noted', note: unknown): LoopEvent | undefined {
  const message = isJsonObject(note) ? note['message'] : undefined;
  return typeof message === 'string' ? { type, message } : undefined;
}

function iterationEnded(run: unknown): LoopEvent | undefined {
  if (!isJsonObject(run)) return undefined;
  const { iteration, maxIterations, remaining, summary, noWork, cutBy } = run;
  return {
    type: 'iteration-ended',
    iteration: Number(iteration),
    noWork: Number(noWork),
    ...(typeof maxIterations === 'number' ? { maxIterations } : {}),
    ...(typeof remaining === 'number' ? { remaining } : {}),
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(cutBy === 'time' || cutBy === 'budget' ? { cutBy } : {}),
  };
}

function verified(verification: unknown): LoopEvent | undefined {
  const status = isJsonObject(verification) ? verification['lastVerificationStatus'] : undefined;
  return status === 'pass' || status === 'fail' || status === 'needs_review'
    ? { type: 'verified', status }
    : undefined;
}

function progressIn(text: string): { readonly progress?: Progress } {
  try {
    const status: unknown = parseJson(text);
    const progress = isJsonObject(status) ? status['progress'] : undefined;
    if (!isJsonObject(progress)) return {};
    const { completed, total } = progress;
    const isCount = typeof completed === 'number' && typeof total === 'number' && total > 0;
    return isCount ? { progress: { completed, total } } : {};
  } catch {
    // Without a readable status there is no progress to show.
    return {};
  }
}

function commandIn(output: JsonObject): readonly string[] {
  const command = isJsonObject(output['debug']) ? output['debug']['command'] : undefined;
  return Array.isArray(command) ? command.map(String) : [];
}

function documentIn(output: unknown): JsonObject {
  // A dry run only records what it would write.
  const document = isJsonObject(output) ? (output['document'] ?? output['value']) : undefined;
  return isJsonObject(document) ? document : {};
}
