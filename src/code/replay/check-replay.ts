/**
 * Runs a workflow over the journal of a run, without starting anything, and returns the first call in which they differ.
 *
 * Y1 Nothing is started and nothing is written: recorded calls are answered, the first other one in every scope ends the check there.
 * Y2 In every scope the calls come in the order of the journal, none is left out, and each asks for the same.
 * Y3 While the program is the one that was accepted, Y2 holds for what was recorded after that: it put the older calls where it wants them.
 */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import { type Divergence, isDivergence } from '../../engine/divergence.ts';
import type { RunSite } from '../../engine/durable.ts';
import { replayOver } from '../../engine/replay.ts';
import { isStop, type Stop } from '../../engine/run-stop.ts';
import { defined } from '../../model/defined.ts';
import type { Answer, JournalEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { ObservedReplay } from '../run/observed-replay.ts';
import { placeIn } from '../run/place.ts';
import { differenceBetween, recordedInput, recordedItem } from './compare-inputs.ts';
import { type RecordedCalls, recordedCalls } from './recorded-calls.ts';

export interface ReplayDivergence {
  readonly type: 'other-effect' | 'other-input' | 'other-order' | 'not-asked' | 'threw';
  readonly key: string;
  /** What is different, in words and lines. */
  readonly details: readonly string[];
  /** `review.workflow.ts:13:32`. */
  readonly at?: string;
}

export interface ReplayToCheck {
  readonly site: RunSite;
  readonly events: readonly JournalEvent[];
  /** The kind of workflow that was started. */
  readonly outermost: 'code' | 'file';
  /** Files of the programs in code, relative to the workspace. */
  readonly files: readonly string[];
  redact(data: JsonValue): JsonValue;
  /** When the program was accepted as it is now, whatever had been recorded (Y3). */
  readonly acceptedAt?: string;
  /** The answer that was given to a question meanwhile. */
  findAnswer?(key: StepKey): Answer | undefined;
  /** Called for every completed step of a workflow file that asks for something else now. */
  onOtherInput?(key: StepKey): void;
  /** Runs the workflow; a failure is returned. The signal is aborted when the check is over. */
  run(durable: OrchestrateDurable, replay: ObservedReplay, signal: AbortSignal): Promise<Failure | undefined>;
}

const OVER: Stop = { type: 'suspended' };

/** How long a program may wait for something of its own. */
const PATIENCE_MS = 10_000;

export async function checkReplay(check: ReplayToCheck): Promise<ReplayDivergence | undefined> {
  const { site, redact, onOtherInput } = check;
  // What a resume forgets is not asked for.
  const events: readonly JournalEvent[] = [
    ...check.events,
    { type: 'run-resumed', at: new Date(0).toISOString() },
  ];
  const replay = new ObservedReplay(check.outermost);
  const durable = replayOver<EffectMap>(events, {
    ...{ site, redact, ...defined({ findAnswer: check.findAnswer }) },
    ...(onOtherInput === undefined
      ? {}
      : {
          onOtherInput: (key) => {
            if (!replay.isOfCode(scopeOf(key))) onOtherInput(key);
          },
        }),
  });
  const over = new AbortController();
  const executed = check.run(durable, replay, over.signal).catch((problem: unknown) => {
    // A workflow file ends at its first call that is not answered.
    if (isStop(problem)) return undefined;
    if (!isDivergence(problem)) throw problem;
    replay.divergence ??= problem;
    return undefined;
  });
  let hasEnded = false;
  const ended = executed.finally(() => {
    hasEnded = true;
  });
  const failure = await Promise.race([ended, quiet(replay, () => hasEnded)]);
  over.abort(OVER);
  const diverged = replay.divergence;
  if (diverged !== undefined) {
    const { type, key } = diverged;
    const recorded = recordedInput(check.events, key);
    const details =
      type === 'other-effect'
        ? [`- ${diverged.recorded}`, `+ ${diverged.effect}`]
        : [
            ...differenceBetween(recorded, redact(diverged.input)),
            ...(diverged.item === undefined ? [] : differenceOfItems(check, diverged)),
          ];
    return { type, key, details, ...placeOf(check, replay, key) };
  }
  return differenceOfCalls(check, replay, { recorded: recordedCalls(events, check.acceptedAt), failure });
}

function differenceOfItems(
  { events, redact }: ReplayToCheck,
  { key, item = null }: Divergence,
): readonly string[] {
  const recorded = recordedItem(events, key);
  if (recorded === undefined) return [];
  return differenceBetween({ item: recorded }, { item: redact(item) });
}

/** Resolves when every scope waits for a call that is not answered, or the workflow has ended. */
async function quiet(replay: ObservedReplay, hasEnded: () => boolean): Promise<undefined> {
  const until = Date.now() + PATIENCE_MS;
  for (let turns = 0; turns < 2 && !hasEnded(); ) {
    await new Promise((resolve) => setTimeout(resolve, turns === 0 ? 1 : 0));
    await new Promise((resolve) => setImmediate(resolve));
    const isQuiet = replay.hasStopped && replay.scopes.every(({ isBusy }) => !isBusy);
    turns = isQuiet ? turns + 1 : 0;
    if (Date.now() > until) break;
  }
  return undefined;
}

function placeOf(
  { site: { workspace }, files }: ReplayToCheck,
  { stacks }: ObservedReplay,
  key: string,
): Pick<ReplayDivergence, 'at'> {
  const stack = stacks.get(key.replace(/@.*$/, '') as StepKey) ?? '';
  return defined({ at: placeIn(stack, { workspace, files }) });
}

/** Y2. A call that waits inside another one is nearer to the difference than what was to come after it. */
function differenceOfCalls(
  check: ReplayToCheck,
  replay: ObservedReplay,
  { recorded, failure }: { readonly recorded: RecordedCalls; readonly failure: Failure | undefined },
): ReplayDivergence | undefined {
  let after: ReplayDivergence | undefined;
  for (const [scope, calls] of recorded.scopes) {
    if (!replay.isOfCode(scope)) continue;
    const inScope = replay.asked.get(scope);
    // A branch that was not started yet: others hold the slots.
    if (inScope === undefined && !hasReturned(replay, scope)) continue;
    const asked = inScope?.filter((key) => !recorded.accepted.has(key));
    const at = calls.findIndex((key, index) => asked?.[index] !== key);
    const key = calls[at];
    if (key === undefined) continue;
    const instead = asked?.[at];
    if (instead === undefined) {
      const message = failure?.type === 'program-error' ? failure.message : undefined;
      if (message !== undefined) return { type: 'threw', key, details: [message], ...whereOf(failure) };
      const last = inScope?.at(-1);
      const open = last === undefined ? undefined : replay.innermostOpen(last);
      if (open === undefined) return { type: 'not-asked', key, details: [] };
      after ??= differenceAt(check, replay, { open, key, recorded });
      continue;
    }
    const isLater = asked?.includes(key) === true && calls.includes(instead);
    return {
      type: isLater ? 'other-order' : 'not-asked',
      key,
      details: [`the program asks for \`${instead}\` first`],
      ...placeOf(check, replay, instead),
    };
  }
  return after;
}

/** The program waits at `open`, which the journal does not answer, although it has `key` after it. */
function differenceAt(
  check: ReplayToCheck,
  replay: ObservedReplay,
  given: { readonly open: StepKey; readonly key: StepKey; readonly recorded: RecordedCalls },
): ReplayDivergence {
  const { open, key, recorded } = given;
  const at = placeOf(check, replay, open);
  if (recorded.scopes.get(scopeOf(open))?.includes(open) === true)
    return { type: 'not-asked', key: open, details: ['the program makes another kind of call there'], ...at };
  return { type: 'not-asked', key, details: [`the program asks for \`${open}\` first`], ...at };
}

function whereOf(failure: Failure | undefined): Pick<ReplayDivergence, 'at'> {
  return failure?.type === 'program-error' ? defined({ at: failure.at }) : {};
}

/** The `each`, `all` or `call` around the scope. */
function hasReturned({ answered }: ObservedReplay, scope: string): boolean {
  return answered.has(scope as StepKey) || answered.has(scopeOf(scope) as StepKey);
}

function scopeOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}
