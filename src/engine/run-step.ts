/** One step of the local engine, from its first attempt to its last, including the delays. Each attempt is recorded before the next. */
import { defined } from '../model/defined.ts';
import { isShown, mayCost } from '../model/effect.ts';
import type { JournalEvent } from '../model/event.ts';
import { adviceFor, exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput, Spent } from '../model/record.ts';
import { callDigest } from './divergence.ts';
import type { StepOptions, Stepped } from './durable.ts';
import type { LocalHost } from './local-host.ts';
import type { OpenStep } from './recorded.ts';
import { decideRetry, NO_RETRY } from './retry.ts';
import { isBranchStop } from './run-stop.ts';
import { askedBefore, recordQuestions } from './step-questions.ts';
import { stopFileOf, waitUnlessStopped } from './wait-unless-stopped.ts';
import { pauseOf, shortened, type Wait } from './wait-until.ts';

export interface StepCall {
  readonly key: StepKey;
  readonly effect: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

function siteOf({ site }: LocalHost, options: StepOptions | undefined): LocalHost['site'] {
  if (options?.folder === undefined) return site;
  return { ...site, workspace: `${site.directory}/${options.folder}`, home: site.workspace };
}

function elapsedSince(since: string | undefined): number | undefined {
  return since === undefined ? undefined : Math.max(0, Date.now() - Date.parse(since));
}

/** Returned by `runStep` for a step that has asked (D6): call it again when its questions are answered. */
export const HAS_ASKED = Symbol('the step has asked');

export async function runStep(
  host: LocalHost,
  call: StepCall,
  options: StepOptions | undefined,
): Promise<Stepped<EffectOutput> | typeof HAS_ASKED> {
  const { key, effect, signal } = call;
  const run = host.effects[effect];
  if (run === undefined) throw new Error(`unknown effect \`${effect}\``);
  const input = call.input as JsonValue;
  const policy = options?.retry ?? NO_RETRY;
  const open = host.recorded.open.get(key);
  const startedAt = open?.startedAt ?? new Date().toISOString();
  const workedBefore = (open?.workedMs ?? 0) - host.workedMs();
  const { workLimitMs } = options ?? {};
  const timeLeftMs = (): number | undefined =>
    workLimitMs === undefined ? undefined : Math.max(0, workLimitMs - host.workedMs());
  let counted = open?.counted ?? 0;
  let waited = open?.waited ?? 0;
  const spentBefore: Spent[] = [...(open?.spentBefore ?? [])];
  const isNext = open?.nextAt !== undefined || open?.isAsking === true;
  let attempt = open === undefined ? 1 : isNext ? open.attempt + 1 : open.attempt;
  const asked = askedBefore(host, key);
  const end = async (output: EffectOutput, stopped: boolean): Promise<Stepped<EffectOutput>> => {
    const at = new Date().toISOString();
    const ended = {
      attempts: stopped ? Math.max(1, counted) : counted + 1,
      startedAt,
      durationMs: workedBefore + host.workedMs(),
      output: output as unknown as JsonValue,
      ...(spentBefore.length === 0 ? {} : { spentBefore }),
      ...(stopped ? { stopped } : {}),
    };
    const { compares } = options ?? {};
    const digest = compares === undefined ? {} : { digest: callDigest(input, compares, host.redact) };
    const toCheck = options?.isChecked === true && output.failure === undefined ? { toCheck: true } : {};
    const event: JournalEvent = { type: 'step-ended', at, key, effect, ...ended, ...digest, ...toCheck };
    if (options?.syncWithNext === true) host.recordSoon(event);
    // J2
    else await host.record(event);
    return { ...ended, output, endedAt: at };
  };
  /** An attempt is in progress. */
  let isTrying = false;
  const isStopped = async (ended: EndedAttempt): Promise<boolean> =>
    host.rehearsal === undefined &&
    waitUnlessStopped(shortened(waitAfter(ended), timeLeftMs()), signal, stopFileOf(host, options));
  const attempts = async (): Promise<Stepped<EffectOutput> | typeof HAS_ASKED> => {
    const { endedAt, nextAt, failure: cause } = open ?? {};
    if (endedAt !== undefined && nextAt !== undefined && cause !== undefined) {
      if (await isStopped({ endedAt, nextAt, failure: cause })) return end({ failure: cause }, true);
    }

    for (let again = againAt(host, open, key); ; again = undefined) {
      const leftMs = timeLeftMs();
      const refusal = leftMs === 0 ? outOfTime(workLimitMs) : options?.refuse?.();
      if (refusal !== undefined) return end(failedOutput(refusal), false);
      if (options?.syncWithNext !== true) {
        host.expectInPlace();
        host.recordSoon({
          type: 'step-started',
          at: new Date().toISOString(),
          key,
          effect,
          attempt,
          input: host.redact(input),
          ...defined({ folder: options?.folder }),
          ...defined({ again }),
        });
      }
      if (options?.readsState === true) host.writeState();
      isTrying = true;
      const { remarks, ...answered } = await run(input as never, {
        key,
        attempt,
        signal,
        ...defined({ timeLeftMs: leftMs, worker: options?.worker, elapsedMs: elapsedSince(options?.since) }),
        ...(asked.length === 0 ? {} : { asked }),
        run: siteOf(host, options),
        emit: (progress) => host.show(key, progress),
        processStarted: (pid, startTime) =>
          host.recordSoon({ type: 'process-started', at: new Date().toISOString(), key, pid, startTime }),
      });
      isTrying = false;
      const given = host.redact(answered as unknown as JsonValue) as unknown as EffectOutput;
      if (remarks !== undefined) recordRemarks(host, { key, attempt }, remarks);
      const isOutOfTime = timeLeftMs() === 0 && isTimeout(given.failure);
      const output = isOutOfTime ? { ...given, ...failedOutput(outOfTime(workLimitMs)) } : given;
      const { failure, spent, asks } = output;
      if (failure === undefined && asks !== undefined) {
        const workedMs = workedBefore + host.workedMs();
        const before = { startedAt, attempt, counted, waited, spentBefore, workedMs };
        await recordQuestions(host, key, { ...defined({ asked: open?.asked, spent }), before, asks });
        return HAS_ASKED;
      }
      if (failure === undefined) return end(output, false);
      if (options?.syncWithNext !== true && !host.isInPlace()) {
        // The move alone may have made it fail: it is retried, and its cost is kept.
        const at = new Date().toISOString();
        const ended = {
          type: 'attempt-ended',
          at,
          key,
          attempt,
          failure,
          counted: false,
          nextAt: at,
        } as const;
        await host.record({ ...ended, ...defined({ spent }) });
        host.expectInPlace();
      }
      const decision = decideRetry(policy, {
        failure,
        counted: counted + 1,
        waited,
        startedAt,
        now: Date.now(),
        random: Math.random(),
      });
      if (decision.type === 'give-up') return end(output, false);
      const now = Date.now();
      const endedAt = new Date(now).toISOString();
      const nextAt = new Date(now + decision.afterMs).toISOString();
      await host.record({
        type: 'attempt-ended',
        at: endedAt,
        key,
        attempt,
        failure,
        counted: decision.counted,
        nextAt,
        ...defined({ spent }),
      });
      if (decision.counted) counted += 1;
      waited = decision.counted ? 0 : waited + 1;
      if (spent !== undefined) spentBefore.push(spent);
      attempt += 1;
      // The attempt's cost is in its own record.
      if (await isStopped({ endedAt, nextAt, failure })) return end({ failure }, true);
    }
  };
  try {
    return await attempts();
  } catch (problem) {
    if (isBranchStop(problem) && isShown(effect) && (isTrying || open !== undefined))
      await end(cancelledOutput(effect, isTrying), false);
    throw problem;
  }
}

/** As notes, which every view shows with the step. They are on the disk with the next record. */
function recordRemarks(
  host: LocalHost,
  { key, attempt }: { readonly key: StepKey; readonly attempt: number },
  remarks: readonly string[],
): void {
  for (const [index, remark] of remarks.entries()) {
    const at = new Date().toISOString();
    const note = { type: 'decision', message: host.redact(remark) };
    const noteKey = sideKey(key, `remark${attempt}.${index + 1}`);
    // An owner that died before it recorded the end.
    if (host.recorded.steps.has(noteKey)) continue;
    const ended = { attempts: 1, startedAt: at, durationMs: 0, output: { note } };
    host.recordSoon({ type: 'step-ended', at, key: noteKey, effect: 'note', ...ended });
  }
}

/** An attempt that was running when an earlier owner of the run ended. */
export function againAt(
  host: Pick<LocalHost, 'isStillRunning'>,
  open: OpenStep | undefined,
  key: StepKey,
): 'repeated' | 'attached' | undefined {
  if (open === undefined || open.nextAt !== undefined || open.isAsking === true) return undefined;
  return host.isStillRunning?.(key, open.attempt) === true ? 'attached' : 'repeated';
}

/** A step that was open when its branch was stopped: it is never repeated, so its end is recorded (P7). */
export async function cancelIfStopped(host: LocalHost, call: Omit<StepCall, 'input'>): Promise<void> {
  const { key, effect, signal } = call;
  const open = host.recorded.open.get(key);
  if (open === undefined || !isShown(effect) || !signal.aborted || !isBranchStop(signal.reason)) return;
  await host.record({
    type: 'step-ended',
    at: new Date().toISOString(),
    key,
    effect,
    attempts: open.counted + 1,
    startedAt: open.startedAt,
    durationMs: open.workedMs ?? 0,
    // What it cost until the run was killed is in `spentBefore`.
    output: failedOutput({ type: 'cancelled' }) as unknown as JsonValue,
    ...(open.spentBefore.length === 0 ? {} : { spentBefore: open.spentBefore }),
  });
}

/** What an agent has cost until it was stopped is unknown. */
function cancelledOutput(effect: string, wasTrying: boolean): EffectOutput {
  const spent = wasTrying && mayCost(effect) ? { spent: { costUsd: null } } : {};
  return { ...failedOutput({ type: 'cancelled' }), ...spent };
}

interface EndedAttempt {
  readonly endedAt: string;
  readonly nextAt: string;
  readonly failure: Failure;
}

/** A limit ends at a wall-clock time; a delay has a length. */
function waitAfter({ endedAt, nextAt, failure }: EndedAttempt): Wait {
  const advice = adviceFor(failure);
  const isResetKnown = advice.type === 'wait' && advice.until !== undefined;
  return isResetKnown ? { at: Date.parse(nextAt) } : pauseOf(endedAt, nextAt);
}

function isTimeout(failure: Failure | undefined): boolean {
  return failure?.type === 'timed-out' || (failure?.type === 'agent' && failure.outcome.type === 'timed-out');
}

function outOfTime(limitMs = 0): Failure {
  const minutes = `${Number((limitMs / 60_000).toFixed(3))} minutes`;
  return { type: 'over-budget', limit: minutes, spent: 'the run has worked that long' };
}

/** Effects that are shown as steps also have an exit code and an outcome. */
function failedOutput(failure: Failure): EffectOutput {
  const fields = { failure, exitCode: exitCodeFor(failure), outcome: outcomeName(failure) };
  return fields;
}
