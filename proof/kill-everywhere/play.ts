/**
 * A play is a piece of work as a user does it: files, and commands typed one after the other. It is played once undisturbed, and then once for
 * each disk operation of its commands, killed there and resumed as documented.
 */
export interface Play {
  readonly name: string;
  /** Path → contents. Files below `.proof/` belong to the stage and are not compared. Files below `.proof/bin` are executable and on PATH. */
  readonly files: Readonly<Record<string, string>>;
  readonly acts: readonly Act[];
  /** Keys of steps that a resume repeats: those of a failed run, which is the purpose of resuming it. */
  readonly mayRepeat?: RegExp;
  /** Normalized paths that may differ, with the reason. */
  readonly mayDiffer?: readonly { readonly path: RegExp; readonly why: string }[];
}

export interface Act {
  readonly name: string;
  readonly argv: readonly string[];
  readonly program?: 'orchestrate' | 'claude-iterate';
  readonly stdin?: string;
  /** Default: 0. */
  readonly exitCode?: number;
  /** Prepares the play and is not killed. */
  readonly prepares?: true;
  /** A program of the stage instead of the product: `argv` is run as it is. */
  readonly isStage?: true;
  /** What a user types after a kill. Default: `resume last` if this act started a run that has not ended, else the same again. */
  readonly again?: (stage: Stage) => readonly string[];
  /** The second time it may refuse, because it is already done. The state at that time is compared. */
  readonly mayRefuse?: true;
  /** It takes `--trust`. */
  readonly mayAsk?: true;
}

/** What a user sees after a kill. */
export interface Stage {
  readonly folder: string;
  readonly has: (path: string) => boolean;
  /** A run that this act started and that has neither completed nor been cancelled. */
  readonly openRun: string | undefined;
}
