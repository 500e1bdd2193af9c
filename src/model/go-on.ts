/**
 * What a person can do about a run that has failed. Resuming tries again what failed; where the same would only happen again — a limit is
 * reached, or what failed was put aside — it says what helps instead.
 */
import type { RunEvent } from './event.ts';
import type { Failure } from './failure.ts';
import { ownerOf, type StepKey } from './ids.ts';
import { isJsonObject } from './json.ts';
import { isShown, notedIn, type StepEnded } from './noted.ts';

export type GoOn =
  | { readonly type: 'resume' }
  /** Limits of the workflow's file, in words. */
  | { readonly type: 'raise'; readonly limits: readonly string[] }
  | { readonly type: 'anew' };

export class GoOnAdvice {
  readonly #failures = new Map<StepKey, Failure | undefined>();

  apply(event: RunEvent): void {
    if (event.type !== 'step-ended') return;
    const ended = endOf(event);
    if (ended === undefined) return;
    if (ended.failed) this.#failures.set(ended.key, ended.failure);
    else this.#failures.delete(ended.key);
  }

  after(ended: Extract<RunEvent, { type: 'run-ended' }>): GoOn {
    const keys = isJsonObject(ended.output) ? ended.output['retryKeys'] : undefined;
    if (ended.status !== 'failed' || !Array.isArray(keys)) return { type: 'resume' };
    const limits = [...this.#failures].flatMap(([key, failure]) => limitOf(key, failure) ?? []);
    if (limits.length > 0) return { type: 'raise', limits: [...new Set(limits)] };
    return keys.some((key) => this.#isTriedAgain(key as StepKey)) ? { type: 'resume' } : { type: 'anew' };
  }

  /** Side calls are made again; that of a step which only sums up what it holds tries nothing. */
  #isTriedAgain(key: StepKey): boolean {
    return key.includes('@') ? !key.endsWith('@ended') : this.#failures.has(key);
  }
}

function endOf(
  event: StepEnded,
): { readonly key: StepKey; readonly failed: boolean; readonly failure: Failure | undefined } | undefined {
  const noted = notedIn(event);
  if (noted !== undefined) {
    if (noted.type !== 'record' || noted.record.status === undefined) return undefined;
    return { key: noted.key, failed: noted.record.status === 'failed', failure: noted.record.failure };
  }
  if (!isShown(event.effect) || !isJsonObject(event.output)) return undefined;
  const failure = event.output['failure'] as Failure | undefined;
  return { key: ownerOf(event.key), failed: failure !== undefined, failure };
}

function limitOf(key: StepKey, failure: Failure | undefined): string | undefined {
  const name = key.split('/').at(-1)?.replace(/#\d+$/, '');
  switch (failure?.type) {
    case 'exhausted':
      return `\`max_iterations\` of \`${name}\``;
    case 'too-many-visits':
      return `\`max_visits\` of \`${failure.step}\``;
    case 'over-budget':
      return '`budget`';
    case 'agent':
      return failure.outcome.type === 'over-budget' ? '`budget`' : undefined;
    default:
      return undefined;
  }
}
