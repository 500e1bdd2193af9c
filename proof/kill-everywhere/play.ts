/**
 * A play is a piece of work as a user does it: files, and commands typed one after the other. It is played once undisturbed, and then once for
 * each operation on the disk that one of its commands made, killed there and gone on with as the documents say.
 */
export interface Play {
  readonly name: string;
  /** Path → contents. What is below `.proof/` is the stage's: it is not compared. Files below `.proof/bin` can be run, and are on PATH. */
  readonly files: Readonly<Record<string, string>>;
  readonly acts: readonly Act[];
  /** Keys of steps that going on does again: those of a run that failed, which is what it is gone on with for. */
  readonly mayRepeat?: RegExp;
  /** Paths, as they are after names were made the same, that may differ; with the reason. */
  readonly mayDiffer?: readonly { readonly path: RegExp; readonly why: string }[];
}

export interface Act {
  readonly name: string;
  readonly argv: readonly string[];
  readonly program?: 'orchestrate' | 'claude-iterate';
  readonly stdin?: string;
  /** 0 where absent. */
  readonly exitCode?: number;
  /** Makes ready what the play is about, and is not killed. */
  readonly prepares?: true;
  /** A program of the stage instead of the product: `argv` is run as it stands. */
  readonly isStage?: true;
  /** What a user types after a kill. Where absent: `resume last` when a run was begun in this act and has not ended, else the same again. */
  readonly again?: (stage: Stage) => readonly string[];
  /** Typed a second time it may refuse, because it is done already. What is compared is what is there then. */
  readonly mayRefuse?: true;
}

/** What a user can see who comes back after a kill. */
export interface Stage {
  readonly folder: string;
  readonly has: (path: string) => boolean;
  /** A run that this act began and that has neither completed nor been cancelled. */
  readonly openRun: string | undefined;
}
