/** Why something that was asked of the orchestrator cannot be done. */
export class OrchestrateError extends Error {
  /** Those of the program itself, which is another module, are as good. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'OrchestrateError';
  }

  override readonly name = 'OrchestrateError';
  readonly kind: 'not-found' | 'invalid' | 'conflict' | 'held' | 'failed';
  /** Stable, for programs: `no-such-run`, `invalid-file`, … */
  readonly type: string;
  /** What to do about it. */
  readonly help: string | undefined;

  constructor(given: {
    readonly message: string;
    readonly kind: OrchestrateError['kind'];
    readonly type: string;
    readonly help?: string | undefined;
  }) {
    super(given.message);
    this.kind = given.kind;
    this.type = given.type;
    this.help = given.help;
  }
}
