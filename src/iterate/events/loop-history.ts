/** What a loop did, folded from the records of its run. Every figure of a report comes from here. */
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Answer, RunEvent } from '../../model/event.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type {
  FileChange,
  IterationReport,
  LoopProof,
  LoopReport,
  LoopTotals,
} from '../../model/loop-report.ts';
import { INTERRUPTED, OpenCalls } from '../../model/open-calls.ts';
import type { Spent } from '../../model/record.ts';
import { addCall, unknownUsesIn } from '../../model/sum-spent.ts';
import { quoteWords } from '../../template/quote.ts';
import type { StopReason } from '../input.ts';
import { statusAfter } from '../workspace/metadata.ts';
import { type LoopEvent, loopEventOf } from './loop-event.ts';
import { isPause } from './pause.ts';

const ITERATION = /^iteration\/(\d+)(?=[/@]|$)/;
/** What takes time or money: agent calls, of fallback agents too, and checks. */
const WORK = /^(?:(?:iteration|verification)\/\d+(?:@agent\d+)?|iteration\/\d+\/check-\d+)$/;
const FILES_CHANGED = /^iteration\/\d+@after$/;
const TREE_BEFORE = /^iteration\/(\d+)@before$/;
const COMMITTED = /^iteration\/\d+@commit$/;

type Draft = { -readonly [Name in keyof IterationReport]: IterationReport[Name] };

export class LoopHistory {
  readonly #outline: Pick<LoopReport, 'run_id' | 'name' | 'mode'>;
  readonly #iterations = new Map<number, Draft>();
  readonly #questions = new Map<string, { question: string; answer?: string }>();
  /** When each call that is in progress was started. */
  readonly #started = new Map<string, string>();
  readonly #calls = new OpenCalls();
  /** When each wait for a usage limit began. */
  readonly #waiting = new Map<string, string>();
  /** Iterations at whose start another loop was at work in the same tree. */
  readonly #shared = new Set<number>();
  #startedAt = '';
  #updatedAt = '';
  #status = 'running';
  #end: { readonly stopReason?: StopReason; readonly error?: string } = {};
  #resumed = 0;
  #work: string | undefined;
  #current: Draft | undefined;

  constructor(outline: Pick<LoopReport, 'run_id' | 'name' | 'mode'>) {
    this.#outline = outline;
  }

  apply(event: RunEvent): void {
    if (event.type === 'progress') return;
    this.#updatedAt = event.at;
    for (const key of this.#calls.apply(event)) lose(this.#workOf(key));
    switch (event.type) {
      case 'run-started':
        this.#startedAt = event.at;
        break;
      case 'run-resumed':
        this.#resumed += 1;
        this.#status = 'running';
        this.#end = {};
        // What was in progress has been lost.
        this.#started.clear();
        break;
      case 'step-started':
        this.#begin(event);
        break;
      case 'attempt-ended':
        this.#spend(event.key, event);
        if (!event.counted) this.#waiting.set(event.key, event.at);
        break;
      case 'attempt-asked':
        this.#spend(event.key, event);
        break;
      case 'step-ended':
        this.#stepEnded(event);
        break;
      case 'question-asked':
        if (!isPause(event.key)) this.#questions.set(event.key, { question: event.question.message });
        break;
      case 'question-answered':
        this.#answered(event.key, event.answer);
        break;
      case 'run-ended':
        this.#runEnded(event);
        break;
      default:
        // Partial: the other records say nothing about the work of a loop.
        break;
    }
  }

  /** `isAlive`: a process is running it. */
  report({ isAlive }: { readonly isAlive: boolean }): LoopReport {
    const iterations = [...this.#iterations.values()].map((draft) => ({ ...draft }));
    for (const key of isAlive ? [] : this.#calls.open) {
      const { iteration } = this.#workOf(key) ?? {};
      lose(iterations.find((each) => each.iteration === iteration));
    }
    const { stopReason, error } = this.#end;
    return {
      ...this.#outline,
      started_at: this.#startedAt,
      updated_at: this.#updatedAt,
      status: statusOf(this.#status, { isAlive, stopReason }),
      ...defined({ stop_reason: stopReason, error, work: this.#work }),
      iterations,
      totals: totalsOf(iterations),
      proof: proofOf(iterations, stopReason),
      questions: [...this.#questions.values()],
      resumed: this.#resumed,
    };
  }

  #draftOf(key: string): Draft | undefined {
    const number = ITERATION.exec(key)?.[1];
    // A verification belongs to the iteration whose claim it verifies.
    return number === undefined ? this.#current : this.#iterations.get(Number(number));
  }

  #workOf(key: string): Draft | undefined {
    return WORK.test(key) ? this.#draftOf(key) : undefined;
  }

  #begin({ key, at }: Extract<RunEvent, { type: 'step-started' }>): void {
    if (!WORK.test(key)) return;
    const number = Number(ITERATION.exec(key)?.[1] ?? this.#current?.iteration ?? 1);
    const draft = this.#iterations.get(number) ?? newDraft(number, at);
    this.#iterations.set(number, draft);
    this.#current = draft;
    this.#started.set(key, at);
    const since = this.#waiting.get(key);
    if (since !== undefined) draft.waited_ms += msBetween(since, at);
    this.#waiting.delete(key);
  }

  #spend(key: string, { at, spent }: { readonly at: string; readonly spent?: Spent | undefined }): void {
    const draft = this.#workOf(key);
    if (draft === undefined) return;
    const since = this.#started.get(key);
    if (since !== undefined) draft.worked_ms += msBetween(since, at);
    this.#started.delete(key);
    if (spent !== undefined) spend(draft, spent);
  }

  #stepEnded(event: Extract<RunEvent, { type: 'step-ended' }>): void {
    const { key, at } = event;
    const output = isJsonObject(event.output) ? event.output : {};
    const since = this.#waiting.get(key);
    const tookMs = this.#started.has(key) ? msBetween(this.#started.get(key) ?? at, at) : 0;
    this.#spend(key, { at, spent: output['spent'] as unknown as Spent | undefined });
    // It comes before the iteration's first call.
    const shared = TREE_BEFORE.exec(key)?.[1];
    if (shared !== undefined && output['isShared'] === true) this.#shared.add(Number(shared));
    const loopEvent = loopEventOf(event);
    if (loopEvent?.type === 'noted') this.#work = loopEvent.message;
    const draft = this.#draftOf(key);
    if (draft === undefined) return;
    if (since !== undefined) draft.waited_ms += msBetween(since, at);
    this.#waiting.delete(key);
    if (FILES_CHANGED.test(key)) {
      noteFiles(draft, output);
      if (this.#shared.has(draft.iteration)) draft.shared = true;
    }
    if (COMMITTED.test(key) && typeof output['commit'] === 'string') draft.commit = output['commit'];
    if (loopEvent !== undefined) note(draft, loopEvent, tookMs);
  }

  #answered(key: string, answer: Answer): void {
    const question = this.#questions.get(key);
    if (question !== undefined) question.answer = answer.choice ?? '';
  }

  #runEnded(event: Extract<RunEvent, { type: 'run-ended' }>): void {
    const loopEvent = loopEventOf(event);
    this.#status = event.status;
    const failure =
      event.failure ?? (loopEvent?.type === 'loop-ended' ? loopEvent.output.failure : undefined);
    this.#end = {
      ...(loopEvent?.type === 'loop-ended' ? { stopReason: loopEvent.output.stopReason } : {}),
      ...(failure === undefined ? {} : { error: describeFailure(failure) }),
    };
  }
}

/** A run that ended without an error has not always completed its task. */
function statusOf(
  status: string,
  { isAlive, stopReason }: { readonly isAlive: boolean; readonly stopReason: StopReason | undefined },
): string {
  if (status === 'running') return isAlive ? status : 'interrupted';
  const isDone = stopReason === undefined || statusAfter(stopReason) === 'completed';
  return status === 'completed' && !isDone ? 'incomplete' : status;
}

function spend(draft: Draft, spent: Spent): void {
  addCall(draft, spent);
  draft.unknown_token_calls += unknownUsesIn(spent);
  draft.tokens = {
    input: draft.tokens.input + (spent.usage?.inputTokens ?? 0),
    output: draft.tokens.output + (spent.usage?.outputTokens ?? 0),
  };
}

function lose(draft: Draft | undefined): void {
  if (draft === undefined) return;
  draft.lost_calls += 1;
  spend(draft, INTERRUPTED);
}

function newDraft(iteration: number, at: string): Draft {
  return {
    iteration,
    started_at: at,
    worked_ms: 0,
    waited_ms: 0,
    lost_calls: 0,
    files: null,
    checks: [],
    warnings: [],
    counted: false,
    cost_usd: 0,
    agent_calls: 0,
    unknown_cost_calls: 0,
    tokens: { input: 0, output: 0 },
    unknown_token_calls: 0,
  };
}

function noteFiles(draft: Draft, { files, isShared }: JsonObject): void {
  if (Array.isArray(files)) draft.files = files as unknown as readonly FileChange[];
  if (isShared === true) draft.shared = true;
}

function note(draft: Draft, loopEvent: LoopEvent, tookMs: number): void {
  switch (loopEvent.type) {
    case 'check-ended': {
      const why = loopEvent.failure === undefined ? undefined : describeFailure(loopEvent.failure);
      const check = {
        command: quoteWords(loopEvent.command),
        passed: why === undefined,
        ...defined({ why }),
        took_ms: tookMs,
      };
      draft.checks = [...draft.checks.slice(0, loopEvent.check - 1), check];
      break;
    }
    case 'verified':
      draft.verification = loopEvent.status;
      break;
    case 'iteration-ended':
      draft.counted = true;
      if (loopEvent.summary !== undefined) draft.summary = loopEvent.summary;
      if (loopEvent.remaining !== undefined) draft.remaining = loopEvent.remaining;
      if (loopEvent.cutBy !== undefined) draft.cut_by = loopEvent.cutBy;
      break;
    case 'status-read':
      if (loopEvent.problem !== undefined) warn(draft, `.status.json cannot be used: ${loopEvent.problem}`);
      break;
    case 'warned':
      warn(draft, loopEvent.message);
      break;
    case 'call-ended':
      if (loopEvent.denied !== undefined)
        warn(draft, describeFailure({ type: 'agent', outcome: loopEvent.denied }));
      break;
    default:
      // Partial: the others are no part of an iteration.
      break;
  }
}

function warn(draft: Draft, warning: string): void {
  if (!draft.warnings.includes(warning)) draft.warnings = [...draft.warnings, warning];
}

function msBetween(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

function totalsOf(iterations: readonly IterationReport[]): LoopTotals {
  const sum = (of: (each: IterationReport) => number): number =>
    iterations.reduce((total, each) => total + of(each), 0);
  const isKnown = iterations.some(({ files }) => files !== null);
  const paths = new Set(iterations.flatMap(({ files }) => (files ?? []).map(({ path }) => path)));
  return {
    iterations: iterations.filter(({ counted }) => counted).length,
    files_changed: isKnown ? paths.size : null,
    worked_ms: sum((each) => each.worked_ms),
    waited_ms: sum((each) => each.waited_ms),
    lost_calls: sum((each) => each.lost_calls),
    cost_usd: sum((each) => each.cost_usd),
    agent_calls: sum((each) => each.agent_calls),
    unknown_cost_calls: sum((each) => each.unknown_cost_calls),
    tokens: { input: sum((each) => each.tokens.input), output: sum((each) => each.tokens.output) },
    unknown_token_calls: sum((each) => each.unknown_token_calls),
  };
}

function proofOf(iterations: readonly IterationReport[], stopReason: string | undefined): LoopProof {
  const isFalse = ({ checks, verification }: IterationReport): boolean =>
    checks.some(({ passed }) => !passed) || (verification !== undefined && verification !== 'pass');
  const last = iterations.findLast(
    ({ checks, verification }) => checks.length > 0 || verification !== undefined,
  );
  const checks = last?.checks ?? [];
  const verification = last?.verification;
  const falseClaims = iterations.filter(isFalse).length;
  const type =
    stopReason !== 'complete'
      ? falseClaims > 0
        ? 'refuted'
        : 'none'
      : verification === 'pass'
        ? 'verified'
        : checks.length > 0
          ? 'checked'
          : 'claimed';
  return {
    type,
    checks_passed: checks.filter(({ passed }) => passed).length,
    checks: checks.length,
    ...defined({ verification }),
    false_claims: falseClaims,
  };
}
