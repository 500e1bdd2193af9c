/**
 * Turns events into lines for people. One line per fact: a step started, ended, is retried, waits, was skipped, and why.
 *
 * A program records that a step was skipped or answered from the cache before it records why; such a line is held until the reason arrives.
 */

import { againIn } from '../../model/again.ts';
import { countText, durationText, stepCostText, untilText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { isShown } from '../../model/effect.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import { type Noted, notedIn } from '../../model/noted.ts';
import { limitOf } from '../../model/open-limits.ts';
import type { Spent, StepRecord } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';
import { UNVERIFIED, UNVERIFIED_TEXT } from '../../model/text-only-agent.ts';
import { skipUnknown, unreachable } from '../../model/unreachable.ts';
import type { Palette } from '../text/palette.ts';
import { printableLine } from '../text/printable.ts';
import { answerText } from '../text/question.ts';
import type { Tally } from './tally.ts';

export type LineType =
  | 'run'
  | 'started'
  | 'completed'
  | 'unverified'
  | 'failed'
  | 'skipped'
  | 'again'
  | 'waiting'
  | 'question'
  | 'decision'
  | 'message';

export interface Line {
  readonly type: LineType;
  /** The step's key, with the name of its item; empty for the run itself. */
  readonly name: string;
  readonly text: string;
}

export const MARKS: { readonly [Type in LineType]: string } = {
  run: '●',
  started: '▶',
  completed: '✓',
  unverified: '!',
  failed: '✗',
  skipped: '○',
  again: '↻',
  waiting: '…',
  question: '?',
  decision: '→',
  message: '·',
};

export function renderLine(line: Line, palette: Palette): string {
  const mark = MARKS[line.type];
  const colored =
    line.type === 'completed'
      ? palette.good(mark)
      : line.type === 'failed'
        ? palette.bad(mark)
        : line.type === 'unverified' ||
            line.type === 'again' ||
            line.type === 'waiting' ||
            line.type === 'question'
          ? palette.notice(mark)
          : palette.faint(mark);
  const words = [line.name, line.text].filter((word) => word !== '').join('  ');
  return `${colored} ${words}`;
}

export class LineWriter {
  readonly #tally: Tally;
  readonly #unexplained = new Map<StepKey, Partial<StepRecord>>();
  /** Successes that are being checked. */
  readonly #unproven = new Map<StepKey, Partial<StepRecord>>();
  readonly #answered = new Set<StepKey>();
  /** Found in the cache: the reason follows the record. */
  readonly #cached = new Set<StepKey>();
  #isResumed = false;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Call it after the tally has applied the event. */
  linesFor(event: RunEvent): readonly Line[] {
    return this.#linesFor(event).map((line) => ({ ...line, name: this.#tally.items.named(line.name) }));
  }

  #linesFor(event: RunEvent): readonly Line[] {
    switch (event.type) {
      case 'run-started':
        return [{ type: 'run', name: '', text: begun(event) }];
      case 'run-resumed':
        this.#isResumed = true;
        return [{ type: 'run', name: '', text: this.#resumed(event) }];
      case 'step-started':
        return isShown(event.effect) ? [started(event)] : [];
      case 'attempt-ended':
        return [attemptEnded(event)];
      case 'step-ended':
        return this.#stepEnded(event);
      case 'sleep-started':
        return [
          {
            type: 'waiting',
            name: ownerOf(event.key),
            text: `waiting until ${until(event.until, event.at)}`,
          },
        ];
      case 'question-asked':
        return [{ type: 'question', name: event.key, text: printableLine(event.question.message) }];
      case 'question-answered':
        this.#answered.add(event.key);
        return [answered(event)];
      case 'progress':
        return event.progress.type === 'message'
          ? [{ type: 'message', name: event.key, text: printableLine(event.progress.text) }]
          : [];
      case 'run-ended':
        return [...this.#unexplained].flatMap(([key, record]) => recordLine(key, record, ''));
      // Its questions have events of their own.
      case 'attempt-asked':
      case 'process-started':
      case 'sleep-ended':
      case 'time-read':
      case 'branch-ended':
      case 'branch-stopped':
        return [];
      default:
        skipUnknown(event);
        return [];
    }
  }

  #resumed(event: Extract<RunEvent, { type: 'run-resumed' }>): string {
    const parts = [['resuming run', this.#tally.runId].filter((word) => word !== '').join(' ')];
    if (event.tookOver !== undefined)
      parts.push(
        `taken over from process ${event.tookOver.pid} on ${event.tookOver.host}, which is no longer running`,
      );
    if (event.endedProcesses !== undefined)
      parts.push(`stopped ${processesText(event.endedProcesses)} left running by it`);
    if (event.cutBytes !== undefined)
      parts.push(`dropped an unfinished record of ${countText(event.cutBytes, 'byte')} from the journal`);
    return parts.join('; ');
  }

  #stepEnded(event: Extract<RunEvent, { type: 'step-ended' }>): readonly Line[] {
    const noted = notedIn(event);
    if (noted !== undefined) return this.#noted(noted);
    if (event.effect === 'check-proof') return this.#checked(event);
    if (!isJsonObject(event.output)) return [];
    if (event.output['hit'] !== undefined) this.#cached.add(ownerOf(event.key));
    if (!isShown(event.effect)) return [];
    const failure = event.output['failure'] as Failure | undefined;
    const last = event.output['spent'] as Spent | undefined;
    const outcome = event.output['outcome'];
    const spent = sumSpent([...(event.spentBefore ?? []), ...(last === undefined ? [] : [last])]);
    const record: Partial<StepRecord> = {
      status: failure === undefined ? 'completed' : 'failed',
      durationMs: event.durationMs,
      attempts: event.attempts,
      ...(outcome === UNVERIFIED ? { outcome } : {}),
      ...defined({ failure, spent }),
    };
    if (event.toCheck !== true) return recordLine(event.key, record, '');
    this.#unproven.set(ownerOf(event.key), record);
    return [];
  }

  /** Why a check failed is said by the record or by the next attempt; here only what the step cost. */
  #checked({ key, output }: Extract<RunEvent, { type: 'step-ended' }>): readonly Line[] {
    const owner = ownerOf(key);
    const record = this.#unproven.get(owner);
    if (record === undefined) return [];
    this.#unproven.delete(owner);
    const reasons = isJsonObject(output) && output['failure'] === undefined ? output['reasons'] : undefined;
    const isProven = Array.isArray(reasons) && reasons.length === 0;
    const { outcome: _, ...rest } = record;
    const [line] = recordLine(owner, rest, isProven ? '' : 'checks failed');
    return line === undefined ? [] : [isProven ? line : { ...line, type: 'message' }];
  }

  #noted(noted: Noted): readonly Line[] {
    const { key } = noted;
    switch (noted.type) {
      case 'container':
        return noted.items === undefined
          ? [{ type: 'started', name: key, text: printableLine(noted.title ?? noted.kind) }]
          : [{ type: 'started', name: key, text: countText(noted.items.length, 'item') }];
      case 'item-completed': {
        const total = this.#tally.containers.get(key);
        const done = this.#tally.itemsDone.get(key) ?? 1;
        const items =
          total === undefined ? countText(done, 'item') : `${done} of ${countText(total, 'item')}`;
        return [{ type: 'message', name: `${key}/${noted.index}`, text: `${items} done` }];
      }
      case 'record':
        if (noted.record.status === undefined || this.#answered.delete(key)) return [];
        this.#unproven.delete(key);
        if (noted.record.status === 'failed' || this.#isContainer(noted))
          return recordLine(key, noted.record, '');
        this.#unexplained.set(key, noted.record);
        return [];
      case 'decision': {
        const record = this.#unexplained.get(key);
        if (record === undefined)
          return [{ type: 'decision', name: key, text: printableLine(noted.message) }];
        this.#unexplained.delete(key);
        return recordLine(key, record, noted.message);
      }
      case 'condition':
        return [];
      default:
        return unreachable(noted);
    }
  }

  /** A resumed run may have started it earlier, in records that were not read. */
  #isContainer({ key, record }: Extract<Noted, { type: 'record' }>): boolean {
    if (this.#tally.containers.has(key)) return true;
    return this.#isResumed && record.status === 'completed' && !this.#cached.delete(key);
  }
}

const PIDS_SHOWN = 3;

function processesText(pids: readonly number[]): string {
  if (pids.length > PIDS_SHOWN) return `${pids.length} processes`;
  return `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`;
}

function begun(event: Extract<RunEvent, { type: 'run-started' }>): string {
  const { forked_from, replayed_from, trial } = event.facts;
  const how = typeof trial === 'string' ? ` (${trial})` : '';
  const from = typeof forked_from === 'string' ? `, forked from run ${forked_from}` : '';
  const replay = typeof replayed_from === 'string' ? `, replayed from ${printableLine(replayed_from)}` : '';
  return `run ${event.runId} started: ${printableLine(event.title)}${how}${from}${replay}`;
}

function started(event: Extract<RunEvent, { type: 'step-started' }>): Line {
  const again = againIn(event);
  const words = event.attempt > 1 || again !== undefined ? [`attempt ${event.attempt}`] : [];
  if (again === 'repeated') words.push('(the previous one was interrupted)');
  if (again === 'attached') words.push('(still running on its worker)');
  return { type: 'started', name: event.key, text: words.join(' ') };
}

function attemptEnded(event: Extract<RunEvent, { type: 'attempt-ended' }>): Line {
  const reason = printableLine(describeFailure(event.failure));
  const next = until(event.nextAt, event.at);
  return event.counted
    ? {
        type: 'again',
        name: event.key,
        text: `attempt ${event.attempt} failed: ${reason}; retrying at ${next}`,
      }
    : { type: 'waiting', name: event.key, text: `${reason}; ${waits(event, next)}` };
}

function waits(event: Extract<RunEvent, { type: 'attempt-ended' }>, next: string): string {
  return limitOf(event).resets_at === undefined
    ? `reset time unknown, next attempt at ${next}`
    : `waiting until ${next}`;
}

function answered(event: Extract<RunEvent, { type: 'question-answered' }>): Line {
  const { answer, key } = event;
  if (answer.type === 'expired') {
    return answer.choice === undefined && answer.values === undefined
      ? { type: 'failed', name: key, text: 'no answer in time' }
      : {
          type: 'completed',
          name: key,
          text: `no answer in time, using the default: ${answerText(answer)}`,
        };
  }
  const by = answer.by === undefined ? '' : ` (${printableLine(answer.by)})`;
  const comment = answer.comment === undefined ? '' : `: ${printableLine(answer.comment)}`;
  return { type: 'completed', name: key, text: `${answerText(answer)}${by}${comment}` };
}

function recordLine(key: StepKey, record: Partial<StepRecord>, why: string): readonly Line[] {
  const { status, durationMs = 0, attempts = 1, spent, failure } = record;
  if (status === undefined) return [];
  if (failure?.type === 'cancelled') return [{ type: 'message', name: key, text: 'cancelled' }];
  if (status === 'skipped') return [{ type: status, name: key, text: printableLine(why) || 'skipped' }];
  const words: string[] = [];
  if (durationMs > 0) words.push(durationText(durationMs));
  if (attempts > 1) words.push(`${attempts} attempts`);
  const cost = stepCostText({
    ...defined({ cost_usd: spent?.costUsd, unknown_cost_calls: spent?.unknownCalls }),
  });
  if (cost !== undefined) words.push(cost);
  if (failure !== undefined) words.push(printableLine(describeFailure(failure)));
  else if (status === 'failed') words.push(`exit code ${record.exitCode ?? 1}`);
  if (why !== '') words.push(printableLine(why));
  const isUnverified = status === 'completed' && record.outcome === UNVERIFIED;
  if (isUnverified) words.push(UNVERIFIED_TEXT);
  return [{ type: isUnverified ? UNVERIFIED : status, name: key, text: words.join('  ') }];
}

function until(at: string, from: string): string {
  return untilText(at, Date.parse(from));
}
