/** Notifications about a run of any kind, sent by its own process. A failing one never fails the run. */
import { basename } from 'node:path';
import { RunFold } from '../../engine/fold-run.ts';
import { isAnswered } from '../../engine/read-answer.ts';
import { isPause } from '../../iterate/events/pause.ts';
import { durationText, momentText, spendingText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunEvent } from '../../model/event.ts';
import { notedIn } from '../../model/noted.ts';
import { limitOf } from '../../model/open-limits.ts';
import type { QuestionState, RunState } from '../../model/run-state.ts';
import type { Message } from '../../notify/notice.ts';
import { isRunNoticeWanted, type OfRun, type RunNotice, renderRunNotice } from '../../notify/run-notice.ts';
import { Sender } from '../../notify/sender.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { limitText } from '../../report/text/limit.ts';
import { type RunPaths, runPaths } from '../../store/layout.ts';
import { NoticeRecord } from './notice-record.ts';
import type { OpenChannel } from './open-channels.ts';

export interface RunNoticesOptions {
  readonly plan: RunPlan;
  readonly channels: readonly OpenChannel[];
  readonly publicPage?: string;
  /** The state of a run that this process took up. */
  readonly state?: () => RunState;
  redact(notice: RunNotice): RunNotice;
  onProblem(problem: string): void;
}

/** Two limits that end within this time are one message. */
const SAME_LIMIT_MS = 60_000;
const RETRY_AFTER_MS: readonly number[] = [1000, 4000];
const DRAIN_MS = 5000;

export class RunNotices {
  readonly #options: RunNoticesOptions;
  readonly #paths: RunPaths;
  readonly #record: NoticeRecord;
  readonly #senders: readonly { readonly channel: OpenChannel; readonly sender: Sender }[];
  readonly #fold = new RunFold();
  /** Messages that are recorded as due. */
  readonly #known = new Set<string>();
  #limitUntil = 0;

  constructor(options: RunNoticesOptions) {
    this.#options = options;
    this.#paths = runPaths(options.plan.workspace, options.plan.runId);
    this.#record = new NoticeRecord(this.#paths);
    this.#senders = options.channels.map((channel) => ({
      channel,
      sender: new Sender({
        delivery: channel.delivery,
        retryAfterMs: RETRY_AFTER_MS,
        onProblem: (problem) => options.onProblem(problem),
        onSettled: (message) => this.#record.settled(message, channel.id),
      }),
    }));
    if (options.plan.begin.type !== 'new') this.#takeUp();
  }

  event(event: RunEvent): void {
    if (this.#options.plan.begin.type === 'new' && event.type !== 'progress')
      this.#fold.apply(event, event.type === 'step-ended' ? notedIn(event) : undefined);
    const notice = this.#noticeOf(event);
    if (notice !== undefined) this.#send(notice, `${this.#options.plan.runId} ${idOf(event, notice)}`);
  }

  /** Waits briefly for what is being sent. */
  async close(): Promise<void> {
    // N2: the run has no owner any more, and another process may already take it up.
    this.#record.hold();
    try {
      await Promise.all(this.#senders.map(({ sender }) => sender.drain(DRAIN_MS)));
    } finally {
      this.#record.release();
    }
  }

  /** N1 */
  #takeUp(): void {
    const due = this.#record.read();
    if ([...due.values()].some(({ open }) => open.size > 0) && this.#record.hold())
      for (const { message, open } of due.values())
        for (const { channel, sender } of this.#senders)
          if (open.has(channel.id)) sender.send(message as unknown as Message);
    for (const id of due.keys()) this.#known.add(id);
  }

  #send(given: RunNotice, id: string): void {
    const wanted = this.#senders.filter(({ channel }) => isRunNoticeWanted(channel.events, given));
    if (wanted.length === 0 || this.#known.has(id)) return;
    this.#known.add(id);
    const message = renderRunNotice(this.#run(), this.#options.redact(given), id);
    this.#record.due(
      message,
      wanted.map(({ channel }) => channel.id),
    );
    for (const { sender } of wanted) sender.send(message);
  }

  #run(): OfRun {
    const { plan, publicPage } = this.#options;
    const { runId, kind, workspace } = plan;
    const title = this.#fold.state?.title ?? plan.title;
    return {
      runId,
      kind,
      title,
      workspace: basename(workspace),
      ...defined({ url: publicPage }),
    };
  }

  #noticeOf(event: RunEvent): RunNotice | undefined {
    switch (event.type) {
      case 'question-asked': {
        const { message, choices, expiresAt } = event.question;
        // A resumed run asks again, also what was answered meanwhile.
        const state = { message, choices, asked_at: event.at, ...defined({ expires_at: expiresAt }) };
        if (isPause(event.key) || isAnswered(this.#paths, event.key, state)) return undefined;
        return waiting(event.key, state);
      }
      case 'attempt-ended':
        return event.counted ? undefined : this.#limitNotice(event);
      case 'run-resumed':
        return { type: 'resumed', isAfterDeath: event.tookOver !== undefined };
      case 'run-ended':
        return this.#endNotice(event);
      default:
        // Partial: nothing else is worth a message.
        return undefined;
    }
  }

  #limitNotice(event: Extract<RunEvent, { type: 'attempt-ended' }>): RunNotice | undefined {
    const until = Date.parse(event.nextAt);
    if (until <= this.#limitUntil + SAME_LIMIT_MS) return undefined;
    this.#limitUntil = until;
    return { type: 'limit-wait', step: event.key, waits: limitText(limitOf(event), Date.now()) };
  }

  #endNotice(event: Extract<RunEvent, { type: 'run-ended' }>): RunNotice | undefined {
    const { failure, status } = event;
    const state = this.#fold.state ?? this.#options.state?.();
    const cost = state === undefined ? undefined : spendingText(state.totals);
    const spent = cost === undefined ? {} : { cost };
    switch (status) {
      case 'completed':
        return { type: 'completed', took: durationText(this.#took(event.at)), ...spent };
      case 'failed': {
        const said = failure === undefined ? 'it failed' : describeFailure(failure);
        const why = state?.error?.step === undefined ? said : `${state.error.step}: ${said}`;
        return { type: failure?.type === 'over-budget' ? 'budget' : 'failed', why, ...spent };
      }
      default:
        // Partial: a person interrupted or cancelled it, or it has said what it waits for.
        return undefined;
    }
  }

  /** Since the run was started, as its id says. */
  #took(until: string): number {
    return Math.max(0, Date.parse(until) - startOf(this.#options.plan.runId));
  }
}

/** The same for the same news, whichever process tells it. A question has one key. */
function idOf(event: RunEvent, { type }: RunNotice): string {
  return event.type === 'question-asked' ? `${type} ${event.key}` : `${type} ${event.at}`;
}

function waiting(step: string, { message, choices, expires_at }: QuestionState): RunNotice {
  return {
    ...{ type: 'waiting', step, question: message, choices },
    ...(expires_at === undefined ? {} : { until: momentText(expires_at) }),
  };
}

/** `20260131T120000Z-abc123` */
function startOf(runId: string): number {
  const [, y, m, d, h, min, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(runId) ?? [];
  return Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min), Number(s));
}
