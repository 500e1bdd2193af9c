/** What a workflow in code can catch. `instanceof` goes by a mark: a project may have its own copy of the package. */
import type { Advice, Failure } from '../../model/failure.ts';

const STEP_FAILED = Symbol.for('orchestrate.step-failed');
const CANCELLED = Symbol.for('orchestrate.cancelled');

function isMarked(value: unknown, mark: symbol): boolean {
  return typeof value === 'object' && value !== null && mark in value;
}

/** A call failed. Unless it is caught, the run fails, and `resume` tries this call again. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly [STEP_FAILED] = true;
  /** Whole key: `Review/0/Ask`. */
  readonly step: string;
  readonly failure: Failure;
  readonly advice: Advice;
  /** For `each` and `all`: the failures inside. */
  readonly causes: readonly StepFailed[];

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, STEP_FAILED);
  }

  constructor(given: {
    readonly step: string;
    readonly failure: Failure;
    readonly advice: Advice;
    readonly message: string;
    readonly causes?: readonly StepFailed[];
  }) {
    super(`\`${given.step}\` failed: ${given.message}`);
    this.step = given.step;
    this.failure = given.failure;
    this.advice = given.advice;
    this.causes = given.causes ?? [];
  }
}

/** The run was cancelled. Calls made after this, in `catch` or `finally`, are clean-up: they get a bounded time. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  readonly [CANCELLED] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, CANCELLED);
  }

  constructor() {
    super('the run was cancelled');
  }
}
