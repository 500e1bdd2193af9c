/** How messages name a kind of file. */
export interface FileKind {
  /** `workflow`: "the workflow lacks the required key …". */
  readonly noun: string;
  readonly emptyHelp: string;
  readonly tooLargeHelp: string;
  /** Help for an unknown key, if something better is known than a similar word. */
  suggestKey?(key: string, valid: ReadonlySet<string>): string | undefined;
  /** Help for a value of the wrong type: how the key is written. */
  suggestForm?(key: string): string | undefined;
  /** Whether keys that start with `x-` are left to the user, for values that aliases refer to. */
  readonly ignoresExtensions?: boolean;
}
