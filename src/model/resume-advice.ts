/**
 * What a user can do about a failed run. Resuming retries what failed. If the same would only happen, and cost, again — a limit is
 * reached, a permission is missing, the failed part was set aside — it names what helps instead.
 */

import type { AgentOutcome, Denied } from './agent.ts';
import { isShown } from './effect.ts';
import type { RunEvent } from './event.ts';
import type { Failure } from './failure.ts';
import { ownerOf, type StepKey, stepNameIn } from './ids.ts';
import { isJsonObject } from './json.ts';
import { type Noted, notedIn, type StepEnded } from './noted.ts';
import { unreachable } from './unreachable.ts';

export type ResumeAdvice =
  | { readonly type: 'resume' }
  /** Limits in the workflow's file, in words. */
  | { readonly type: 'raise'; readonly limits: readonly string[] }
  /** What to do before resuming, in words. `changesFile`: in the workflow's file. */
  | {
      readonly type: 'first';
      readonly deeds: readonly string[];
      readonly changesFile: boolean;
      /** Commands that continue without any of this. */
      readonly otherwise?: readonly string[];
    }
  | { readonly type: 'restart' }
  /** A command that the program of the run names itself. */
  | { readonly type: 'command'; readonly command: string };

export class ResumeAdvisor {
  readonly #failures = new Map<StepKey, Failure | undefined>();

  /** `noted`: the note in the event, if the caller has looked already. */
  apply(event: RunEvent, noted = event.type === 'step-ended' ? notedIn(event) : undefined): void {
    if (event.type !== 'step-ended') return;
    const ended = endOf(event, noted);
    if (ended === undefined) return;
    if (ended.failed) this.#failures.set(ended.key, ended.failure);
    else if (this.#failures.size > 0) this.#failures.delete(ended.key);
  }

  after(ended: Extract<RunEvent, { type: 'run-ended' }>): ResumeAdvice {
    const { retryKeys: keys, continueWith } = isJsonObject(ended.output) ? ended.output : {};
    if (ended.status === 'failed' && typeof continueWith === 'string')
      return { type: 'command', command: continueWith };
    if (ended.status !== 'failed' || !Array.isArray(keys)) return { type: 'resume' };
    if (ended.failure?.type === 'program-error') return correctProgram(ended.failure);
    const limits = [...this.#failures].flatMap(([key, failure]) => limitOf(key, failure) ?? []);
    if (limits.length > 0) return { type: 'raise', limits: [...new Set(limits)] };
    const deeds = [...this.#failures].flatMap(([key, failure]) =>
      keys.some((each) => key === each || key.startsWith(`${each}/`)) ? (deedFor(key, failure) ?? []) : [],
    );
    if (deeds.length > 0) {
      const changesFile = deeds.some((deed) => deed.changesFile);
      const otherwise = [...new Set(deeds.flatMap(({ permit }) => permit ?? []))];
      return {
        ...{ type: 'first', deeds: [...new Set(deeds.map(({ words }) => words))], changesFile },
        ...(otherwise.length === 0 ? {} : { otherwise }),
      };
    }
    return keys.some((key) => this.#isTriedAgain(key as StepKey)) ? { type: 'resume' } : { type: 'restart' };
  }

  /** Side calls are repeated, except the one of a step that only sums up its children: it retries nothing. */
  #isTriedAgain(key: StepKey): boolean {
    return key.includes('@') ? !key.endsWith('@ended') : this.#failures.has(key);
  }
}

/** Everything done stays done. */
function correctProgram({ at }: Extract<Failure, { type: 'program-error' }>): ResumeAdvice {
  const where = at === undefined ? '' : ` at \`${at}\``;
  return { type: 'first', deeds: [`correct the program${where}`], changesFile: false };
}

function endOf(
  event: StepEnded,
  noted: Noted | undefined,
): { readonly key: StepKey; readonly failed: boolean; readonly failure: Failure | undefined } | undefined {
  if (noted !== undefined) {
    if (noted.type !== 'record') return undefined;
    if (noted.record.allowed === true) return { key: noted.key, failed: false, failure: undefined };
    if (noted.record.status === undefined) return undefined;
    return { key: noted.key, failed: noted.record.status === 'failed', failure: noted.record.failure };
  }
  if (!isJsonObject(event.output)) return undefined;
  const failure = event.output['failure'] as Failure | undefined;
  // A call of a workflow in code that is not shown, such as `read`, fails like a step. Side calls are of their step.
  if (!isShown(event.effect) && (failure === undefined || event.key.includes('@'))) return undefined;
  return { key: ownerOf(event.key), failed: failure !== undefined && failure.type !== 'cancelled', failure };
}

interface Deed {
  readonly words: string;
  readonly changesFile: boolean;
  readonly permit?: string;
}

/** Failures that the workflow's file causes by itself: with the same file, the same values give the same failure. */
const CAUSED_BY_FILE: ReadonlySet<Failure['type']> = new Set([
  'undefined-variables',
  'unusable-values',
  'missing-placeholders',
  'bad-pointer',
  'prompt-too-long',
]);

function deedFor(key: StepKey, failure: Failure | undefined): Deed | undefined {
  if (failure === undefined) return undefined;
  const name = `\`${stepNameIn(key)}\``;
  if (CAUSED_BY_FILE.has(failure.type)) return { words: `correct ${name}`, changesFile: true };
  return failure.type === 'agent' ? deedForOutcome(failure.outcome, name) : undefined;
}

function deedForOutcome(outcome: AgentOutcome, name: string): Deed | undefined {
  switch (outcome.type) {
    case 'denied':
      return denialDeed(outcome, name);
    case 'auth':
      return { words: 'sign in to the agent, or set its key', changesFile: false };
    case 'over-budget':
      return { words: "add credit to the agent's account", changesFile: false };
    case 'invalid-input':
      return { words: `change what the agent rejected in ${name}`, changesFile: true };
    case 'not-found':
      return { words: `install \`${outcome.program}\``, changesFile: false };
    case 'done':
    case 'rate-limited':
    case 'overloaded':
    case 'api-error':
    case 'max-turns':
    case 'timed-out':
    case 'idle':
    case 'hung-after-result':
    case 'crashed':
      return undefined;
    default:
      return unreachable(outcome);
  }
}

function denialDeed({ tools, by, isBypassed, hasNoList, permit }: Denied, name: string): Deed {
  if (by === 'hook') return { words: `change the hook that stopped ${name}`, changesFile: false };
  if (by === 'untrusted-folder') {
    return permit === undefined
      ? { words: `trust the folder, or set \`permissions: bypass\` for ${name}`, changesFile: true }
      : { words: 'trust the folder with the agent itself', changesFile: false, permit };
  }
  if (tools.length === 0) return { words: `grant the permission that ${name} was denied`, changesFile: true };
  const listed = tools.map((tool) => `\`${tool}\``).join(', ');
  if (by === 'denied-tools')
    return {
      words: `remove ${listed} from \`denied_tools\` of ${name}, or change its prompt`,
      changesFile: true,
    };
  if (by === 'ask-rule')
    return { words: `change the rule of \`ask\` that denies ${listed}`, changesFile: true };
  if (by === 'person')
    return { words: `change the prompt of ${name}, or allow ${listed} when asked`, changesFile: false };
  if (isBypassed === true)
    return { words: `change the rule or hook that refuses ${listed}`, changesFile: false };
  if (permit !== undefined)
    return { words: `allow ${listed} in the agent's own settings`, changesFile: false, permit };
  if (hasNoList === true) return { words: `set \`permissions: bypass\` for ${name}`, changesFile: true };
  const key = `\`allowed_tools: [${tools.join(', ')}]\``;
  return { words: `set ${key} or \`permissions: bypass\` for ${name}`, changesFile: true };
}

function limitOf(key: StepKey, failure: Failure | undefined): string | undefined {
  const name = stepNameIn(key);
  switch (failure?.type) {
    case 'exhausted':
      return `\`max_iterations\` of \`${name}\``;
    case 'too-many-visits':
      return `\`max_visits\` of \`${failure.step}\``;
    case 'over-budget':
      return '`budget`';
    case 'agent':
      if (failure.outcome.type === 'max-turns') return `\`max_turns\` of \`${name}\``;
      return failure.outcome.type === 'over-budget' && failure.outcome.isAccount !== true
        ? '`budget`'
        : undefined;
    default:
      // Partial: the other failures do not concern a limit.
      return undefined;
  }
}
