/** A program asked for something else than the journal has at this key: it has changed, or it does not repeat itself. */
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { sha256 } from '../model/sha256.ts';

export class Divergence extends Error {
  override readonly name = 'Divergence';
  readonly type: 'other-effect' | 'other-input';
  readonly key: StepKey;
  /** The name of the effect that the journal has. */
  readonly recorded: string;
  readonly effect: string;
  readonly input: JsonValue;

  constructor(given: Pick<Divergence, 'type' | 'key' | 'recorded' | 'effect' | 'input'>) {
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
  }
}

export function isDivergence(problem: unknown): problem is Divergence {
  return problem instanceof Divergence;
}

/** A short digest of what a step was asked for. */
export function inputDigest(input: JsonValue): string {
  return sha256(JSON.stringify(input)).slice(0, 16);
}
