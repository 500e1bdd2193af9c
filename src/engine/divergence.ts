/** A program asked for something else than the journal has at this key: it has changed, or it does not repeat itself. */
import type { StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { sha256 } from '../model/sha256.ts';
import type { AroundCall, Compared } from './durable.ts';

export class Divergence extends Error {
  override readonly name = 'Divergence';
  readonly type: 'other-effect' | 'other-input';
  readonly key: StepKey;
  /** The name of the effect that the journal has. */
  readonly recorded: string;
  readonly effect: string;
  readonly input: JsonValue;
  /** The item of its branch. */
  readonly item: JsonValue | undefined;

  constructor(
    given: Pick<Divergence, 'type' | 'key' | 'recorded' | 'effect' | 'input'> &
      Partial<Pick<Divergence, 'item'>>,
  ) {
    super(
      given.type === 'other-effect'
        ? `the journal has \`${given.recorded}\` at \`${given.key}\`, and the program asks for \`${given.effect}\``
        : `the program asks for something else at \`${given.key}\` than the journal has`,
    );
    this.type = given.type;
    this.key = given.key;
    this.recorded = given.recorded;
    this.effect = given.effect;
    this.input = given.input;
    this.item = given.item;
  }
}

export function isDivergence(problem: unknown): problem is Divergence {
  return problem instanceof Divergence;
}

/** A short digest of what a call was asked for and, after a dot, of the item that it depends on. */
export function callDigest(
  input: JsonValue,
  { within }: Compared,
  redact: (data: JsonValue) => JsonValue,
): string {
  const own = shortDigest(redact(withoutLimits(input)));
  return within === undefined ? own : `${own}.${digestAround(within, redact)}`;
}

/** `recorded` by an earlier version says nothing about the item. */
export function isSameCall(recorded: string, asked: string): boolean {
  return recorded === asked || (!recorded.includes('.') && asked.startsWith(`${recorded}.`));
}

/** Earlier versions included the limits. */
export function isSameWithLimits(
  recorded: string,
  input: JsonValue,
  redact: (data: JsonValue) => JsonValue,
): boolean {
  return recorded === shortDigest(redact(input));
}

/** How long a call may take is no part of what it is asked for. */
export function withoutLimits(input: JsonValue): JsonValue {
  if (!isJsonObject(input) || !('timeoutMs' in input || 'idleTimeoutMs' in input)) return input;
  const { timeoutMs: _, idleTimeoutMs: __, ...asked } = input;
  return asked as JsonValue;
}

function digestAround(within: AroundCall, redact: (data: JsonValue) => JsonValue): string {
  const { item, around } = within;
  within.digest ??= shortDigest([redact(item), around === undefined ? '' : digestAround(around, redact)]);
  return within.digest;
}

function shortDigest(data: JsonValue): string {
  return sha256(JSON.stringify(data)).slice(0, 16);
}
